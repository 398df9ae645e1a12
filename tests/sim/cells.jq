# SPDX-License-Identifier: GPL-2.0
#
# cells.jq - the cells of X-Ray's tables, "CELL VALUE" a line, from the tool's
# document or from what a profile expects.

def value: if type != "object" then .
	elif .value == null then
		if .status == "undecided" then "undecided" else "unmeasured" end
	else .value end;
def kilo: if type == "number" then . / 1024 else . end;

(.caches[] | select(.type != "instruction") | "L\(.level)" as $level |
	"\($level).capacity \(.capacity_bytes | value | kilo)",
	"\($level).line \(.line_bytes | value)",
	"\($level).ways \(.ways | value)",
	"\($level).latency \(.latency_cycles | value)",
	"\($level).usable \(.effective_capacity_bytes | value | kilo)"),
([(.tlbs // [])[] | select(.level == 1 and .page_bytes == 4096 and
	.type != "instruction")][0] // empty |
	"tlb.entries \(.entries | value)", "tlb.ways \(.ways | value)"),
"memory.latency \(.memory.latency_cycles | value)",
((.registers // {}) | to_entries[] | "registers.\(.key) \(.value | value)")
