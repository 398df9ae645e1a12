#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - every machine in tests/machines, simulated and measured.
#
# L1's capacity, ways, line and latency must be what the machine's "expect"
# says, or undecided with a reason; another number is a failure.
#
#	tests/sim/run.sh [PROFILE.json...]
#
# Environment:
#	PROBE_PHYS_SEED=N	first seed (default 1), of orders and noise
#	PROBE_PHYS_SEEDS=N	so many seeds of each profile (default 1)
#	PROBE_PHYS_DECIDE_BY=WHAT	auto (default), counters, time; or both of
#				these, whose answers must be the same or open
#	PROBE_PHYS_SIM_LIMIT=S	seconds for one measurement (default 300)
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
export tool=$PWD/build/probe-phys
export first=${PROBE_PHYS_SEED:-1} seeds=${PROBE_PHYS_SEEDS:-1}
export by=${PROBE_PHYS_DECIDE_BY:-auto}
export limit=${PROBE_PHYS_SIM_LIMIT:-300}
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- tests/machines/*.json

# What became of each parameter, one a line: "right|undecided|WRONG WORDS".
# Latencies are averages: half a cycle and 5 % are allowed.
# shellcheck disable=SC2016 # jq's variables
export judge='
def value: if type == "object" then .value else . end;
def near($a; $b): ($a - $b) | fabs <= 0.5 + 0.05 * $b;
($profile[0].expect.caches // [] | map(select(.level == 1 and
	.type != "instruction"))[0] // {}) as $e |
(.caches[0] // {}) as $c |
("ways", "capacity_bytes", "line_bytes", "latency_cycles") as $k |
select(($e[$k] | value) != null) | ($e[$k] | value) as $wanted |
($c[$k] // {status: "undecided", value: null,
	reason: (if (.caches | length) == 0 then "no cache found" else "" end)})
	as $got |
if $got.value == null then
	if ($got.reason // "") == "" then "WRONG L1 \($k) undecided, no reason"
	else "undecided L1 \($k) \($got.reason)" end
elif $got.value == $wanted or
	($k == "latency_cycles" and near($got.value; $wanted)) then
	"right L1 \($k)"
else "WRONG L1 \($k) \($got.value) instead of \($wanted)" end'

# Two answers to every question, from {counters: ..., time: ...}: no parameter
# may have two values. Every level's is compared, whatever is expected.
# shellcheck disable=SC2016 # jq's variables
export agree='
def near($a; $b): ($a - $b) | fabs <= 0.5 + 0.05 * $b;
.counters.caches as $c | .time.caches as $t |
range([$c, $t] | map(length) | min) as $i |
($c[$i] | keys[]) as $k | select($c[$i][$k] | type == "object") |
$c[$i][$k].value as $a | $t[$i][$k].value as $b |
select($a != null and $b != null) |
if $a == $b or ($k | startswith("latency")) and near($a; $b) then empty
else "WRONG L\($i + 1) \($k) \($a) by counters, \($b) by time" end'

# One measurement; its verdicts go into a file of its own.
one_by() {	# profile seed by
	local name out rc

	name=$(basename "$1" .json)
	out=$work/$name.$2
	timeout "$limit" "$tool" --machine "sim:$1" --json --seed "$2" \
		--decide-by "$3" >"$out.json" 2>"$out.err" </dev/null
	rc=$?
	case $rc in
	0) jq -r --slurpfile profile "$1" "$judge" "$out.json" >>"$out" ||
		echo "WRONG no JSON" >>"$out" ;;
	# Not to be measured here, with the reason.
	3) sed 's/^/undecided all /' "$out.err" >>"$out" ;;
	124) echo "WRONG more than $limit s" >>"$out" ;;
	*) echo "WRONG exit status $rc: $(head -n 1 "$out.err")" >>"$out" ;;
	esac
	mv "$out.json" "$out.$3"
	rm -f "$out.err"
}

one() {	# profile seed
	local out start

	out=$work/$(basename "$1" .json).$2
	start=$(date +%s.%N)
	if [ "$by" = both ]; then
		one_by "$1" "$2" counters
		one_by "$1" "$2" time
		jq -n -r --slurpfile c "$out.counters" --slurpfile t "$out.time" \
			"{counters: \$c[0], time: \$t[0]} | $agree" >>"$out"
	else
		one_by "$1" "$2" "$by"
	fi
	[ -s "$out" ] || echo "WRONG nothing to compare" >"$out"
	echo "seconds $(echo "$(date +%s.%N) - $start" | bc)" >>"$out"
	rm -f "$out".*
}
export -f one one_by

for profile in "$@"; do
	for ((seed = first; seed < first + seeds; seed++)); do
		printf '%s\0%s\0' "$profile" "$seed"
	done
done | xargs -0 -r -n 2 -P 2 bash -c 'one "$@"' _

passed=0
failed=0
printf '%-40s %6s %9s %6s %8s\n' profile right undecided wrong seconds
for profile in "$@"; do
	name=$(basename "$profile" .json)
	read -r right undecided wrong seconds < <(cat "$work/$name".* | awk '
		/^right/ { r++ } /^undecided/ { u++ } /^WRONG/ { w++ }
		/^seconds/ { s += $2 }
		END { printf "%d %d %d %.1f\n", r, u, w, s }')
	printf '%-40s %6d %9d %6d %8s\n' "$name" "$right" "$undecided" \
		"$wrong" "$seconds"
	for ((seed = first; seed < first + seeds; seed++)); do
		if grep -q '^WRONG' "$work/$name.$seed"; then
			failed=$((failed + 1))
			grep '^WRONG' "$work/$name.$seed" |
				sed "s/^/    --seed $seed: /"
		else
			passed=$((passed + 1))
		fi
	done
done
echo "sim: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
