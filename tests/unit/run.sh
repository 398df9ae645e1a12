#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - the unit tests, one process for each suite, several at a time.
#
#	tests/unit/run.sh BUILD [SUITE|FOLDER ...]
#
# BUILD is the folder of the program unit-tests, such as build/gcc. Suites that took
# long in the last run come first, so that no CPU is idle at the end. The log of a
# suite that fails is printed; all logs stay in BUILD/unit.
#
# Environment:
#	UNIT_JOBS=N		suites at a time (default: CPUs)
#	PROBE_PHYS_SEED=N	seed of random tests (default: each suite's own)
#	PROBE_PHYS_PART=K	one case in K of the long matrices (default 1: all)
#	PROBE_PHYS_TURN=N	which of them (default: the seed)
#	V=1			print all logs
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
[ $# -ge 1 ] || {
	echo "usage: tests/unit/run.sh BUILD [SUITE|FOLDER ...]" >&2
	exit 2
}
export tests=$1/unit-tests logs=$1/unit
seconds=$1/unit.seconds
shift
mkdir -p "$logs"
touch "$seconds"

log_of() {	# suite
	echo "$logs/${1//\//-}.log"
}

one() {	# suite
	local log rc

	log=$(log_of "$1")
	"$tests" "$1" >"$log" 2>&1
	rc=$?
	if [ $rc != 0 ]; then
		echo "not ok: $1 (status $rc; make test T=$1 repeats it)"
	fi
	if [ $rc != 0 ] || [ -n "${V:-}" ]; then
		grep -v '^unit: ' "$log"
	else
		grep '^SKIP ' "$log" | sort | uniq -c |
			awk -v suite="$1" '{
				n = $1
				sub(/^ *[0-9]+ SKIP /, "")
				print "SKIP " suite ", " $0 " (" n " times)"
			}'
	fi
	return 0
}
export -f one log_of

# Names with the longest suites of the last run first, new ones before them.
longest_first() {
	awk 'FILENAME == ARGV[1] { took[$1] = $2; next }
		{ print $1 in took ? took[$1] : 1e6, $1 }' "$seconds" - |
		sort -rn -k 1,1 | cut -d ' ' -f 2
}

mapfile -t suites < <("$tests" --list "$@" | longest_first)
[ ${#suites[@]} -gt 0 ] || exit 2
# shellcheck disable=SC2016 # of the other shell
printf '%s\0' "${suites[@]}" |
	xargs -0 -n 1 -P "${UNIT_JOBS:-$(nproc)}" bash -c 'one "$1"' _

# A suite whose process died has no closing line: one failure.
for suite in "${suites[@]}"; do
	grep '^unit: ' "$(log_of "$suite")" ||
		echo "unit: 0 passed, 1 failed, 0 skipped, 0 left out, 0 shortened, 0 s CPU"
done | paste -d ' ' <(printf '%s\n' "${suites[@]}") - >"$logs/counts"

# A suite that was not run this time keeps its seconds.
awk 'FILENAME == ARGV[1] { took[$1] = $(NF - 2); next }
	!($1 in took) { print }
	END { for (name in took) print name, took[name] }' \
	"$logs/counts" "$seconds" >"$seconds.new"
mv "$seconds.new" "$seconds"

awk '{ print $(NF - 2), $1 }' "$logs/counts" | sort -rn | head -n 5 |
	awk '{ list = list (NR > 1 ? ", " : "") $2 " " sprintf("%.1f", $1) }
		END { print "longest suites, s CPU: " list }'
awk '{
	passed += $3; failed += $5; skipped += $7; left += $9
	shortened += $12; cpu += $14
}
END {
	printf "unit: %.1f s CPU, %d suites, %d checks shortened\n", cpu, NR,
		shortened
	printf "unit: %d left out (parts of other days)\n", left
	printf "unit: %d passed, %d failed, %d skipped\n", passed, failed,
		skipped
	exit failed > 0
}' "$logs/counts"
