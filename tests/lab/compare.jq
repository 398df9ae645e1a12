# SPDX-License-Identifier: GPL-2.0
#
# compare.jq - the answers of a measurement against "expect" of the profile;
# one line per expected value: "right", "undecided" or "WRONG". A value that
# the tool does not report at all is not measured yet, which is no answer.

def kind: if . == "instruction" then . else "data" end;

# Latencies are measured in units of an addition: half a cycle, or a twentieth.
def close($a; $b): ($a - $b | fabs) <= ([0.5, $b / 20] | max);

def same($name; $found; $expected):
	if $name == "latency_cycles" then close($found; $expected)
	else $found == $expected end;

def judge($where; $name; $found; $expected):
	"\($where) \($name): " as $text |
	if $found == null then "undecided: \($text)not measured"
	elif $found.value == null and ($found.reason // "") == ""
	then "WRONG: \($text)no value and no reason"
	elif $found.value == null then "undecided: \($text)\($found.reason)"
	elif same($name; $found.value; $expected)
	then "right: \($text)\($found.value)"
	else "WRONG: \($text)\($found.value), expected \($expected)" end;

def all($where; $found; $expected):
	$expected | to_entries[] |
	select(.value | type == "object" and has("value")) |
	judge($where; .key; $found[.key]; .value.value);

$machine[0].expect as $expect | $found[0] as $tool |
($expect.caches[] | . as $e |
	([$tool.caches[] | select(.level == $e.level and
		(.type | kind) == ($e.type | kind))] | first) as $f |
	all("L\($e.level) \($e.type)"; $f; $e)),
($tool.caches[] | . as $f |
	select([$expect.caches[] | select(.level == $f.level and
		(.type | kind) == ($f.type | kind))] | length == 0) |
	if $f.capacity_bytes.value == null then empty else
	"WRONG: L\($f.level) \($f.type): the machine has no such level" end),
($expect.tlbs // [] | .[] | . as $e |
	([$tool.tlbs[] | select(.level == $e.level and .type == $e.type and
		.page_bytes == $e.page_bytes)] | first) as $f |
	all("TLB \($e.level) \($e.type) \($e.page_bytes)"; $f; $e)),
all("memory"; $tool.memory; $expect.memory // {})
