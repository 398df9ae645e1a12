#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - every machine in tests/machines, simulated and measured.
#
# Every number must be that of the machine's "expect", or undecided with a reason;
# another number is a failure, and so is a level that does not exist, or an
# error_bound above 1e-3. judge.jq compares. Machines with only linear and modulo
# indexes and machines with hashes have totals of their own.
#
#	tests/sim/run.sh [PROFILE.json...]
#
# Environment:
#	PROBE_PHYS_SEED=N	first seed (default 1), of orders and noise
#	PROBE_PHYS_SEEDS=N	seeds of each profile (default 1)
#	PROBE_PHYS_SIM_PART=K	without arguments one profile in K (default 1: all)
#	PROBE_PHYS_TURN=N	which of them (default: the seed)
#	PROBE_PHYS_DECIDE_BY=WHAT	auto (default), counters, time; or both of
#				these, whose answers must agree or be undecided
#	PROBE_PHYS_TOOL=FILE	the tool (default build/probe-phys)
#	PROBE_PHYS_ONLY=l1	the first level of cache alone (default: all)
#	SIM_JOBS=N		machines at a time (default: CPUs)
#	PROBE_PHYS_SIM_LIMIT=S	seconds for one measurement (default 300)
#	PROBE_PHYS_CONDITION=WHAT	quiet (default): each profile as it is;
#			noisy: with the standard disturbance of noisy.jq on top;
#			virtual, virtual-4k: as a guest sees it (virtual.jq),
#			backed by host pages of 2 MiB or 4 KiB
#	PROBE_PHYS_VERDICTS=FOLDER	keep the verdicts there, NAME.SEED each
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
export tool=${PROBE_PHYS_TOOL:-$PWD/build/probe-phys}
export first=${PROBE_PHYS_SEED:-1} seeds=${PROBE_PHYS_SEEDS:-1}
export by=${PROBE_PHYS_DECIDE_BY:-auto}
export only=${PROBE_PHYS_ONLY:-l1,caches,tlbs,registers}
export limit=${PROBE_PHYS_SIM_LIMIT:-300}
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

# One profile in K: another one each turn.
left=0
part_of_all() {	# profile...
	local turn=${PROBE_PHYS_TURN:-$first} k=${PROBE_PHYS_SIM_PART:-1} i=0
	local profile

	all=()
	for profile; do
		[ $(((i++ + turn) % k)) != 0 ] || all+=("$profile")
	done
	left=$(($# - ${#all[@]}))
}
if [ $# = 0 ]; then
	part_of_all tests/machines/*.json
	set -- "${all[@]}"
fi

# shellcheck source=tests/sim/condition.sh
. tests/sim/condition.sh
export profiles=$work/profiles
mkdir "$profiles"
under_condition "${PROBE_PHYS_CONDITION:-quiet}" "$profiles" "$@" || exit $?

# Two answers to every question, from {counters: ..., time: ...}: no parameter
# may have two values. Every level's is compared, whatever is expected.
# shellcheck disable=SC2016 # jq's variables
export agree='
def near($a; $b): ($a - $b) | fabs <= 0.5 + 0.05 * $b;
.counters.caches as $c | .time.caches as $t |
$c[] as $x | $t[] | select(.level == $x.level and .type == $x.type) as $y |
($x | keys[]) as $k | select($x[$k] | type == "object") |
$x[$k].value as $a | $y[$k].value as $b |
select($a != null and $b != null) |
if $a == $b or ($k | startswith("latency")) and near($a; $b) then empty
else "WRONG L\($x.level) \($k) \($a) by counters, \($b) by time" end'

# The lines of the wanted levels.
of_wanted() {
	if [ "$only" = l1 ]; then
		grep -E '^[a-zA-Z]+ L1i? |^WRONG'
	else
		cat
	fi
}

# Why it ended. A sanitizer prints a separator first.
said() {
	grep -m 1 -E 'ERROR: |runtime error: ' "$1" || head -n 1 "$1"
}

# One measurement; each has a file of verdicts.
one_by() {	# profile seed by
	local name out rc more=()

	name=$(basename "$1" .json)
	out=$work/$name.$2
	# Large levels need more accesses than the tool allows by itself.
	[[ $1 != */long/* ]] || more=(--time-limit 0)
	timeout "$limit" "$tool" --machine "sim:$profiles/$name.json" --json \
		--seed "$2" --decide-by "$3" --only "$only" "${more[@]}" \
		>"$out.json" 2>"$out.err" </dev/null
	rc=$?
	case $rc in
	0) jq -r --slurpfile profile "$1" -f tests/sim/judge.jq \
		"$out.json" | of_wanted >>"$out" ||
		echo "WRONG no JSON" >>"$out" ;;
	# Cannot be measured; the tool printed the reason.
	3) sed 's/^/undecided all /' "$out.err" >>"$out" ;;
	124) echo "WRONG more than $limit s" >>"$out" ;;
	*) echo "WRONG exit status $rc: $(said "$out.err")" >>"$out" ;;
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
export -f one one_by of_wanted said

# One row of the table, of the lines that match $wanted.
counts() {	# name file...
	local name=$1

	shift
	cat "$@" | grep -E "${wanted:-.}" | grep -v " ${unwanted:-nothing}\b" | awk -v name="$name" '
		/^right/ { r++ } /^undecided/ { u++ } /^WRONG/ { w++ }
		/^unmeasured/ { n++ }
		/^seconds/ { s += $2 }
		END { printf "%-40s %6d %9d %10d %6d %8.1f\n", name, r, u, n,
			w, s }'
}

# Every wrong number, with the arguments that repeat it.
wrongs() {
	local file name

	for file in "$work"/*.*[0-9]; do
		name=$(basename "${file%.*}")
		sed -n "s/^WRONG/    $name --seed ${file##*.}:/p" "$file"
	done | sed '1i wrong:'
}

# Why parameters are undecided, without the numbers in the reasons.
reasons() {
	cat "$work"/*.*[0-9] | sed -nE '/^undecided/{
		s/^undecided (all|[^ ]+ [a-z_0-9]+) //
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
done | xargs -0 -r -n 2 -P "${SIM_JOBS:-$(nproc)}" bash -c 'one "$@"' _

passed=0
failed=0
printf '%-40s %6s %9s %10s %6s %8s\n' profile right undecided unmeasured \
	wrong seconds
for profile in "$@"; do
	name=$(basename "$profile" .json)
	counts "$name" "$work/$name".*[0-9]
	for ((seed = first; seed < first + seeds; seed++)); do
		# A measurement that was killed has left no line.
		if grep -q '^seconds' "$work/$name.$seed" &&
			! grep -q '^WRONG' "$work/$name.$seed"; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
		fi
	done
done

# The class of a profile.
class_of() {
	jq -r 'if any((.caches, .tlbs)[] | select(.type != "instruction");
		.index.kind == "xor" or .index.kind == "sliced")
		then "hashed" else "plain" end' "$1"
}
for class in plain hashed; do
	files=()
	for profile in "$@"; do
		[ "$(class_of "$profile")" = $class ] || continue
		files+=("$work/$(basename "$profile" .json)".*[0-9])
	done
	[ ${#files[@]} = 0 ] || unwanted=inclusion \
		counts "$class index, parameters" "${files[@]}"
	[ ${#files[@]} = 0 ] || wanted=' inclusion' \
		counts "$class index, inclusion" "${files[@]}"
done
counts "all, $# profiles x $seeds seeds" "$work"/*.*[0-9]
wrongs
reasons
[ -z "${PROBE_PHYS_VERDICTS:-}" ] || cp "$work"/*.*[0-9] "$PROBE_PHYS_VERDICTS"
echo "sim: $left left out (parts of other days)"
echo "sim: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
