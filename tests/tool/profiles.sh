#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# profiles.sh - the tool refuses broken machine profiles: exit status 2, nothing on
# stdout, one line on stderr that names the key (or the line, if the file is not
# JSON), from "profile check" and "--machine sim:" alike.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
. tests/tool/kit.sh
files=0

refuses() {	# key ARGUMENT...
	local key=$1 got

	shift
	timeout 60 "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	if [ "$got" != 2 ]; then
		flunk "$key: $1: exit status $got instead of 2"
	elif [ "$(wc -l <"$work/err")" != 1 ] || [ -s "$work/out" ]; then
		flunk "$key: $1: not one line on stderr alone"
	elif ! grep -qF "broken-$files.json: $key" "$work/err"; then
		flunk "$key: $1: the line does not name the key"
	else
		passed=$((passed + 1))
	fi
}

# broken KEY: $work/new must be refused for KEY, and differ from all others.
broken() {
	files=$((files + 1))
	local file=$work/broken-$files.json sum

	mv "$work/new" "$file"
	sum=$(cksum <"$file")
	if grep -qxF "$sum" "$work/sums" 2>/dev/null; then
		: >"$work/err"
		flunk "$1: the same file was tested before"
	fi
	echo "$sum" >>"$work/sums"
	refuses "$1" profile check "$file"
	refuses "$1" --machine "sim:$file"
}

# A valid machine with all kinds of values, to be broken.
jq 'del(.expect) | .prefetchers = [{"kind": "stride", "level": 2}] |
	.registers = {"int": 16} | .virtual_machine = true |
	.host_page_bytes = 4096 |
	.caches[1].policy = {"name": "qlru", "variant": "H11_M1_R0_U0"} |
	.caches[2].index = {"kind": "xor",
		"masks": [range(11) | pow(2; . + 6)]} |
	.caches[3].index = {"kind": "sliced", "slices": 2,
		"slice_masks": ["0x40000000"], "index": {"kind": "linear"}} |
	.caches[3].shared_by = [[0, 1]] |
	.caches[3].policy = {"name": "drrip", "leaders": [0, 1]}
	' tests/machines/adv-four-levels.json >"$work/good.json" || exit 1
if "$tool" profile check "$work/good.json" >/dev/null 2>"$work/err"; then
	passed=$((passed + 1))
else
	flunk "the valid machine is refused"
fi

while IFS='|' read -r key filter; do
	jq "$filter" "$work/good.json" >"$work/new" || exit 1
	broken "$key"
done <<'LIST'
caches[0].ways: 0|.caches[0].ways = 0
caches[0].ways: -8|.caches[0].ways = -8
caches[1].ways: 5000|.caches[1].ways = 5000
caches[0].capacity_bytes: 32769|.caches[0].capacity_bytes = 32769
caches[0].capacity_bytes: 0|.caches[0].capacity_bytes = 0
caches[3].capacity_bytes: 2147483648|.caches[3].capacity_bytes = 2147483648
caches[0]: linear, but 48 sets|.caches[0].capacity_bytes = 24576 | del(.caches[0].index)
caches[0].index: linear, but 48 sets|.caches[0].capacity_bytes = 24576
caches[1].line_bytes: 48|.caches[1].line_bytes = 48
caches[1].line_bytes: 8192|.caches[1].line_bytes = 8192
caches[1].line_bytes: is missing|del(.caches[1].line_bytes)
caches[2].index.masks[10]: 0xc0 depends|.caches[2].index.masks[10] = "0xc0"
caches[2].index.masks[3]: 0x3f depends|.caches[2].index.masks[3] = "0x3f"
caches[2].index.masks[0]: '0x1g'|.caches[2].index.masks[0] = "0x1g"
caches[2].index.masks[0]: is true or false|.caches[2].index.masks[0] = true
caches[2].index.masks: 10 masks give|del(.caches[2].index.masks[10])
caches[2].index.masks: is missing|del(.caches[2].index.masks)
caches[2].index.kind: 'magic'|.caches[2].index.kind = "magic"
caches[3].index.slices: 16384 sets|.caches[3].index.slices = 3
caches[3].index.slices: 0|.caches[3].index.slices = 0
caches[3].index.slice_masks: 0 masks|del(.caches[3].index.slice_masks)
caches[3].index.slice_masks[0]: 0x40 depends|.caches[3].index.slice_masks = ["0x40"]
caches[3].index.index.kind: 'sliced'|.caches[3].index.index.kind = "sliced"
caches[3].index.index.depth: unknown key|.caches[3].index.index.depth = 1
caches[3].policy.leaders[1]: set 0|.caches[3].policy.leaders = [0, 0]
caches[3].policy.epsilon: 1.5|.caches[3].policy.epsilon = 1.5
caches[3].shared_by[0][1]: 64|.caches[3].shared_by = [[0, 64]]
caches[3].shared_by[1][0]: CPU 0|.caches[3].shared_by = [[0, 1], [0]]
caches[3].shared_by[0]: is no array|.caches[3].shared_by = [0, 1]
caches[0].shared_by: CPU 1 is in no group|.caches[0].shared_by = [[0]]
caches[1].policy.variant: 'H99'|.caches[1].policy.variant = "H99"
caches[1].policy.variant: is missing|del(.caches[1].policy.variant)
caches[1].policy.name: 'best'|.caches[1].policy.name = "best"
caches[1].policy.colour: unknown key|.caches[1].policy.colour = 1
caches[0].inclusion: nothing is above|.caches[0].inclusion = "exclusive"
caches[1].inclusion: 'both'|.caches[1].inclusion = "both"
caches[1].addressing: 'odd'|.caches[1].addressing = "odd"
caches[1].reserved_lines_per_set: 8|.caches[1].reserved_lines_per_set = 8
caches[1].same_set_miss_cycles: -4|.caches[1].same_set_miss_cycles = -4
same_set_miss_cycles: caches[0] has its own|.same_set_miss_cycles = 4 | .caches[0].same_set_miss_cycles = 4
caches[1].latency_cycles: -1|.caches[1].latency_cycles = -1
caches[1].latency_cycles: is missing|del(.caches[1].latency_cycles)
caches[1].level: 3|.caches[1].level = 3
caches[1].level: level 1 data|.caches |= [.[1], .[0], .[2], .[3]] | .caches[0].level = 1 | .caches[0].type = "data"
caches[2].level: level 2 unified|.caches[2].level = 2
caches[3].level: 2|.caches[3].level = 2 | .caches[3].type = "data" | .caches[1].type = "instruction"
caches[4].level: 6|.caches += [.caches[0] | .level = 6]
caches: 10000 entries|.caches = [.caches[0] as $c | range(10000) | $c]
caches: 0 entries|.caches = []
caches: is missing|del(.caches)
tlbs[0].ways: 128 ways|.tlbs[0].ways = 128
tlbs[0].ways: 0|.tlbs[0].ways = 0
tlbs[0].entries: 65|.tlbs[0].entries = 65
tlbs[0].entries: 100000|.tlbs[0].entries = 100000
tlbs[0].page_bytes[0]: the machine has no|.tlbs[0].page_bytes = [8192]
tlbs[0].page_bytes[1]: is there already|.tlbs[0].page_bytes = [4096, 4096]
tlbs[0].coalesce_pages: 3|.tlbs[0].coalesce_pages = 3
tlbs[0].index.fold: 3 bits|.tlbs[0].index = {"kind": "xor", "fold": 3}
tlbs[1].level: level 1 data|.tlbs[1].page_bytes = [4096]
tlbs[5].level: 4|.tlbs[5].level = 4
memory.latency_cycles: 0|.memory.latency_cycles = 0
walk.latency_cycles: 1e+07|.walk.latency_cycles = 10000000
prefetchers[0].level: 5|.prefetchers[0].level = 5
prefetchers[0].kind: 'magic'|.prefetchers[0].kind = "magic"
counters[1]: loads|.counters = ["loads", "loads"]
counters[0]: 'sheep'|.counters = ["sheep"]
noise.tail_probability: 2|.noise.tail_probability = 2
noise.sead: unknown key|.noise.sead = 1
timer.resolution_ns: -1|.timer.resolution_ns = -1
cycle_ns: 0|.cycle_ns = 0
phys_bits: 65|.phys_bits = 65
page_bytes: 5000|.page_bytes = 5000
huge_page_bytes[1]: 2097152|.huge_page_bytes[1] = 2097152
phys_placement: random-2m without|.phys_placement = "random-2m" | .huge_page_bytes = [] | .tlbs = []
host_page_bytes: without virtual_machine|.virtual_machine = false
registers.int: -1|.registers.int = -1
schema: 2|.schema = 2
colour: unknown key|.colour = "blue"
a?b: unknown key|.["a\nb"] = 1
LIST

# A value of a wrong type for each key.
while IFS='|' read -r path value is; do
	jq "$path = $value" "$work/good.json" >"$work/new" || exit 1
	broken "${path#.}: is $is"
done <<'LIST'
.schema|"1"|a string
.name|7|a whole number
.source|null|null
.cycle_ns|"1"|a string
.phys_bits|36.5|a fraction
.huge_page_bytes|2097152|a whole number
.phys_placement|[]|an array
.caches|{}|an object
.caches[0]|1|a whole number
.caches[0].level|"1"|a string
.caches[0].type|1|a whole number
.caches[0].capacity_bytes|"32 KiB"|a string
.caches[0].ways|[8]|an array
.caches[0].line_bytes|64.5|a fraction
.caches[0].index|"linear"|a string
.caches[2].index.masks|"0x40"|a string
.caches[0].policy|"lru"|a string
.caches[0].policy.name|{}|an object
.caches[3].policy.leaders|0|a whole number
.caches[1].policy.variant|true|true or false
.caches[0].write_back|1|a whole number
.caches[0].write_allocate|"yes"|a string
.caches[0].latency_cycles|"4"|a string
.caches[3].shared_by|"all"|a string
.tlbs|1|a whole number
.tlbs[0].page_bytes|4096|a whole number
.tlbs[0].entries|64.25|a fraction
.walk|[]|an array
.walk.touches_caches|0|a whole number
.memory|200|a whole number
.counters|"all"|a string
.counters[0]|1|a whole number
.timer|0.4|a fraction
.noise|true|true or false
.noise.seed|0.5|a fraction
.virtual_machine|"no"|a string
.registers|16|a whole number
LIST

# A file that is not JSON has no key: the message names the line.
head -c 700 "$work/good.json" >"$work/new"
broken "line "
: >"$work/new"
broken "line 1, column 0"
sed '2s/:/=/' "$work/good.json" >"$work/new"
broken "line 2, column "
sed '3s/^/"name": "again",/' "$work/good.json" >"$work/new"
broken "line 3, column "
echo '[]' >"$work/new"
broken "is an array"
sed 's/"cycle_ns": [0-9.]*/"cycle_ns": NaN/' "$work/good.json" >"$work/new"
broken "line "
head -c 5000000 /dev/zero >"$work/new"
broken "more than 4 MiB"

echo "$files broken profiles"
if [ "$files" -lt 60 ]; then
	: >"$work/err"
	flunk "fewer than 60 broken profiles"
fi
echo "profiles: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
