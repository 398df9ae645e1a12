#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# compare.sh - "compare" and "effective" on simulated machines of known answers: X-Ray
# and AMP are right or undecided, and other methods are shown to fail where they do.
#
# Environment:
#	PROBE_PHYS_SEED=N	(default 1)
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
. tests/tool/kit.sh
seed=${PROBE_PHYS_SEED:-1}
echo "compare: PROBE_PHYS_SEED=$seed"

json() {	# what filter
	if jq -e "$library $2" "$work/out" >/dev/null 2>"$work/err"; then
		passed=$((passed + 1))
	else
		flunk "$1: not true: $2"
		jq -c "$library \"values of it\", (.parameters[]? |
			select(.level == 2) | [.parameter, .truth,
			(.values[] | [.method, .value, .verdict])])" \
			"$work/out" 2>/dev/null | sed 's/^/    /'
	fi
}

# shellcheck disable=SC2016 # jq's variables
library='
def cells($method): [.parameters[] | .values[] | select(.method == $method)];
def cell($level; $parameter; $method): [.parameters[] |
	select(.of == "cache" and .level == $level and
		.parameter == $parameter) | .values[] |
	select(.method == $method)][0];
def verdict($level; $parameter; $method):
	cell($level; $parameter; $method).verdict;
def failed($method): [cells($method)[] |
	select(.verdict == "wrong" or .verdict == "missed")] | length;
def wrong($method): [cells($method)[] | select(.verdict == "wrong")] | length;
def missed_caches: [.parameters[] | select(.of != "tlb") | .values[] |
	select(.verdict == "missed")] | length;
'

# On every machine: X-Ray and AMP are never wrong, nothing is undecided without a
# reason, and the cost is printed. False: not of today.
compared() {	# profile
	is_of_today || return
	run 0 --machine "sim:tests/machines/$1.json" --seed "$seed" \
		--only caches compare --json
	# shellcheck disable=SC2016 # jq's variables
	json "$1" '.schema == 1 and .compared_with == "truth" and
		.conditions.complete and
		[.methods[].name] == ["x-ray", "amp", "cooper-sandoval",
			"breaking-cache", "saavedra"] and
		all(.methods[]; .complete and .accesses > 0 and .seconds >= 0)'
	json "$1: ours are right" 'failed("x-ray") == 0 and
		failed("amp") == 0 and
		(cells("x-ray") | map(select(.verdict == "right")) |
			length) >= 10'
	json "$1: reasons" 'all(.parameters[].values[];
		.status == "measured" or (.reason | length) > 0)'
}

# The assumptions of Cooper and Sandoval do not hold on these machines: a clock of
# changing frequency, policies that keep lines of a footprint larger than the cache,
# page arrays that fill a cache before the TLB.
effective_only() {	# profile filter
	is_of_today || return
	run 0 --machine "sim:tests/machines/$1.json" --seed "$seed" \
		--only caches,tlbs compare --method cooper-sandoval --json
	json "$1" "$2"
}
effective_only adv-frequency-drift 'all(.parameters[] |
	select(.of != "tlb" and .parameter == "latency_cycles");
	.values[0].status == "undecided")'
# Lines that L2 keeps of a longer footprint hide the second TLB in one seed of four.
effective_only adv-bip 'wrong("cooper-sandoval") == 0 and missed_caches == 0 and
	cell(3; "latency_cycles"; "cooper-sandoval").status == "undecided"'
effective_only adv-fifo 'failed("cooper-sandoval") == 0'
# Regression: with this seed stripes of 256 bytes were taken for its line.
seed=3 effective_only adv-duel-haswell-l2 'failed("cooper-sandoval") == 0'
effective_only adv-fully-associative-l1 '[.parameters[] |
	select(.of == "tlb" and .parameter == "latency_cycles") |
	.values[0].verdict] == ["right"]'

# No stride finds the sets of a hashed L2, and AMP reports that. The common methods
# take any rise for the end of a cache, and any stride for that of its ways.
compared adv-hashed-l2 &&
	json "hashed L2" 'verdict(2; "capacity_bytes"; "x-ray") == "right" and
		verdict(2; "ways"; "x-ray") == "right" and
		verdict(2; "effective_capacity_bytes"; "cooper-sandoval") == "right" and
		verdict(2; "line_bytes"; "cooper-sandoval") == "undecided" and
		verdict(2; "ways"; "amp") == "undecided" and
		(cell(2; "ways"; "amp").reason | test("hashed")) and
		verdict(2; "capacity_bytes"; "breaking-cache") == "wrong" and
		verdict(2; "capacity_bytes"; "saavedra") == "wrong" and
		verdict(3; "capacity_bytes"; "saavedra") == "missed"'

# An exclusive L2 has one capacity, and with the level above another one.
compared adv-exclusive-l2 &&
	json "exclusive L2" 'cell(2; "capacity_bytes"; "x-ray").value == 524288 and
		cell(2; "effective_capacity_bytes"; "x-ray").value == 589824 and
		verdict(2; "effective_capacity_bytes"; "cooper-sandoval") == "right" and
		verdict(2; "capacity_bytes"; "amp") == "undecided" and
		verdict(2; "capacity_bytes"; "breaking-cache") == "wrong" and
		verdict(2; "capacity_bytes"; "saavedra") == "wrong"'

# Random replacement keeps lines that LRU would have evicted.
compared adv-random &&
	json "random L2" 'verdict(2; "capacity_bytes"; "x-ray") == "right" and
		verdict(2; "ways"; "x-ray") == "right" and
		verdict(2; "ways"; "breaking-cache") == "wrong" and
		verdict(3; "capacity_bytes"; "saavedra") == "wrong"'

# Translations, and a subset of the methods.
run 0 --machine sim:tests/machines/adv-one-level.json --seed "$seed" \
	compare --method xray,saavedra --json
json "two methods" '[.methods[].name] == ["x-ray", "saavedra"] and
	any(.parameters[]; .of == "tlb" and .parameter == "entries" and
		.values[0].verdict == "right") and
	all(.parameters[]; (.values | length) == 2)'
run 0 --machine sim:tests/machines/adv-one-level.json --seed "$seed" \
	--only caches compare --method saavedra
grep -q 'accesses  *[0-9]' "$work/out" || flunk "the table has no column of costs"

# Arguments that are refused.
run 2 compare --method xray,dice
says "'dice' is none"
run 2 compare surplus
says 'takes no arguments'
run 2 --machine sim:tests/machines/adv-one-level.json compare \
	--picture "$work/picture.bmp"
says "^probe-phys: cannot draw .*its name has no known suffix"
run 1 --machine sim:tests/machines/adv-one-level.json --only caches compare \
	--method saavedra --picture "$work/nowhere/picture.svg"
says '^probe-phys: cannot write .*make its folder'
run 2 --machine "sim:$work/none.json" compare --json
run 2 effective --level 0
says "'0' is no level"
run 2 effective --load 3-1
says "'3-1' is no load"
run 2 effective --load-bytes 4095
says "'4095' is no size"
run 2 effective --footprint 1
says "'1' is no size"
run 2 effective --patience 0
says "'0' is no number of trials"
run 2 effective surplus
says 'takes no arguments'

# A picture is drawn if the tool was built with cairo.
"$tool" --machine sim:tests/machines/adv-one-level.json --seed "$seed" \
	--only caches compare --method xray,saavedra \
	--picture "$work/picture.svg" >"$work/out" 2>"$work/err" </dev/null
case $? in
0)	if grep -q '</svg>' "$work/picture.svg"; then
		passed=$((passed + 1))
	else
		flunk "the picture is no SVG"
	fi ;;
3)	says '^probe-phys: cannot draw .*without cairo' ;;
*)	flunk "the picture is neither drawn nor refused" ;;
esac

# An interrupted run reports the finished part, and its exit status is 1.
timeout --foreground --preserve-status --signal=INT --kill-after=60 3 \
	"$tool" --machine sim:tests/machines/adv-hashed-l2.json \
	--seed "$seed" --only caches compare --json >"$work/out" \
	2>"$work/err" </dev/null
if [ $? = 1 ]; then
	passed=$((passed + 1))
else
	flunk "interrupted: the exit status is not 1"
fi
json "interrupted" '.conditions.complete == false and
	(.methods | length) == 5 and
	([.methods[] | select(.complete | not)] | length) > 0 and
	all(.methods[]; .complete or
		(.reason | startswith("interrupted"))) and
	all(.parameters[].values[]; .verdict != "wrong" and
		.verdict != "missed")'

# An L2 that another CPU walks at the same time has half of its capacity left.
if is_of_today; then
	run 0 --machine sim:tests/machines/adv-shared-l2.json --seed "$seed" \
		--cpu 0 effective --load shared --level 2 --footprint 0x800000 \
		--patience 2 --json
	json "beside a load" '(.alone.caches | length) == 1 and
		.alone.complete and .loaded.complete and
		(.load.cpus | length) > 0 and .load.loads > 0 and
		.loaded.caches[0].effective_capacity_bytes.value <
			.alone.caches[0].effective_capacity_bytes.value'
fi
run 3 --machine sim:tests/machines/adv-one-level.json --seed "$seed" \
	effective --load shared --footprint 0x100000 --patience 1 --json
says 'no other CPU is known to share'

closing compare
