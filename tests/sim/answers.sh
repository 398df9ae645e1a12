#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# answers.sh - whether two builds of the tool give the same answers.
#
# Both measure every simulated machine with the same seed. Each parameter's value
# and status are compared; seconds, numbers of tests and the words of a reason are
# not. A cell that was decided and no longer is, or that has another value, fails
# unless the profile's "expect" calls the old one wrong.
#
#	tests/sim/answers.sh BEFORE AFTER [PROFILE.json...]
#
# Environment:
#	PROBE_PHYS_SEED=N	seed of both (default 1)
#	PROBE_PHYS_CONDITION=WHAT	quiet (default), noisy, virtual or virtual-4k,
#				as for run.sh
#	PROBE_PHYS_DECIDE_BY=WHAT	auto (default), counters or time
#	PROBE_PHYS_OPTIONS=WORDS	more options, and the command (default: measure)
#	PROBE_PHYS_SIM_LIMIT=S	seconds for one measurement (default 300)
#	PROBE_PHYS_ANSWERS=FOLDER	keep BEFORE's documents there, and use those
#				that are there
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
if [ $# -lt 2 ]; then
	echo "usage: tests/sim/answers.sh BEFORE AFTER [PROFILE.json...]" >&2
	exit 2
fi
# shellcheck source=tests/sim/condition.sh
. tests/sim/condition.sh
before=$(realpath "$1")
after=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- tests/machines/*.json
condition=${PROBE_PHYS_CONDITION:-quiet}
export seed=${PROBE_PHYS_SEED:-1} by=${PROBE_PHYS_DECIDE_BY:-auto}
export limit=${PROBE_PHYS_SIM_LIMIT:-300} more=${PROBE_PHYS_OPTIONS:-}
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT
export kept=${PROBE_PHYS_ANSWERS:-$work/before}
kept=$kept/$condition.$seed.$by${more:+.${more//[!a-z0-9]/}}
mkdir -p "$work/profiles" "$work/after" "$work/lines" "$kept"
under_condition "$condition" "$work/profiles" "$@" || exit $?
export before after

measured() {	# tool profile document
	# shellcheck disable=SC2086 # words
	timeout "$limit" "$1" --machine "sim:$2" --json --seed "$seed" \
		--decide-by "$by" $more >"$3.part" 2>/dev/null </dev/null
	case $? in
	0) mv "$3.part" "$3" ;;
	3) echo '{"error": {"status": "undecided"}}' >"$3" ;;
	*) echo "{\"error\": {\"status\": \"exit status or time\"}}" >"$3" ;;
	esac
}

one() {	# profile
	local name

	name=$(basename "$1" .json)
	[ -s "$kept/$name.json" ] || measured "$before" "$1" "$kept/$name.json"
	measured "$after" "$1" "$work/after/$name.json"
	jq -r -n --slurpfile profile "$1" --slurpfile before "$kept/$name.json" \
		--slurpfile after "$work/after/$name.json" \
		-f tests/sim/answers.jq >"$work/lines/$name" ||
		echo "lost all: no JSON" >"$work/lines/$name"
}
export -f one measured

for profile; do
	printf '%s\0' "$work/profiles/$(basename "$profile")"
done | xargs -0 -r -n 1 -P "$(nproc)" bash -c 'one "$@"' _

for kind in lost changed gained mended; do
	for file in "$work"/lines/*; do
		sed -n "s/^$kind/$kind $(basename "$file")/p" "$file"
	done
done
cells=$(cat "$work"/lines/* | awk '$1 == "cells" { n += $2 } END { print n + 0 }')
moved=$(cat "$work"/lines/* | grep -c '^moved')
worse=$(cat "$work"/lines/* | grep -cE '^(lost|changed)')
better=$(cat "$work"/lines/* | grep -cE '^(gained|mended)')
echo "answers, $condition${more:+, $more}, seed $seed: $# machines, $cells cells, $moved latencies and clocks moved within half a cycle or 5 %, $better better, $worse worse"
bad=$(grep -lE '^(lost|changed)' "$work"/lines/* | wc -l)
echo "answers: $(($# - bad)) passed, $bad failed, 0 skipped"
[ "$bad" = 0 ]
