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
#	PROBE_PHYS_SIM_LIMIT=S	seconds for one measurement (default 300)
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
export tool=$PWD/build/probe-phys
export first=${PROBE_PHYS_SEED:-1} seeds=${PROBE_PHYS_SEEDS:-1}
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

# One measurement; its verdicts go into a file of its own.
one() {	# profile seed
	local name out start rc

	name=$(basename "$1" .json)
	out=$work/$name.$2
	start=$(date +%s.%N)
	timeout "$limit" "$tool" --machine "sim:$1" --json --seed "$2" \
		>"$out.json" 2>"$out.err" </dev/null
	rc=$?
	case $rc in
	0) jq -r --slurpfile profile "$1" "$judge" "$out.json" >"$out" ||
		echo "WRONG no JSON" >"$out" ;;
	# Not to be measured here, with the reason.
	3) sed 's/^/undecided all /' "$out.err" >"$out" ;;
	124) echo "WRONG more than $limit s" >"$out" ;;
	*) echo "WRONG exit status $rc: $(head -n 1 "$out.err")" >"$out" ;;
	esac
	[ -s "$out" ] || echo "WRONG nothing to compare" >"$out"
	echo "seconds $(echo "$(date +%s.%N) - $start" | bc)" >>"$out"
	rm -f "$out.json" "$out.err"
}
export -f one

# One row of the table.
counts() {	# name file...
	local name=$1

	shift
	cat "$@" | awk -v name="$name" '
		/^right/ { r++ } /^undecided/ { u++ } /^WRONG/ { w++ }
		/^seconds/ { s += $2 }
		END { printf "%-40s %6d %9d %6d %8.1f\n", name, r, u, w, s }'
}

# Every wrong number, with what repeats it.
wrongs() {
	local file name

	for file in "$work"/*.*[0-9]; do
		name=$(basename "${file%.*}")
		sed -n "s/^WRONG/    $name --seed ${file##*.}:/p" "$file"
	done | sed '1i wrong:'
}

# Why parameters stayed undecided; numbers differ, reasons hardly.
reasons() {
	cat "$work"/*.*[0-9] | sed -nE '/^undecided/{
		s/^undecided (all|L[0-9]+ [a-z_]+) //
		s/[0-9][0-9.]*/N/g
		p
	}' | sort | uniq -c | sort -rn |
		sed -E '1i undecided, by reason:
			s/^ *([0-9]+) /    \1 x /'
}

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
	counts "$name" "$work/$name".*[0-9]
	for ((seed = first; seed < first + seeds; seed++)); do
		if grep -q '^WRONG' "$work/$name.$seed"; then
			failed=$((failed + 1))
		else
			passed=$((passed + 1))
		fi
	done
done
counts "all, $# profiles x $seeds seeds" "$work"/*.*[0-9]
wrongs
reasons
echo "sim: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
