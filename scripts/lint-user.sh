#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint-user.sh - layout, static analysis, caps and scripts.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
status=0

complain() {
	echo "lint: $1"
	status=1
}

mapfile -t user_c < <(git ls-files 'user/*.c' 'tests/unit/*.c' \
	'tests/bench/*.c' 'tests/fuzz/*.c' 'tests/lab/*.c')
mapfile -t user_all < <(git ls-files 'user/*.[ch]' 'tests/unit/*.[ch]' \
	'tests/bench/*.[ch]' 'tests/fuzz/*.[ch]' 'tests/vm/*.[ch]' \
	'tests/lab/*.[ch]')

echo "lint: clang-format"
clang-format --dry-run -Werror "${user_all[@]}" ||
	complain "clang-format: layout differs (clang-format -i FILE)"

echo "lint: cppcheck"
cppcheck --quiet --std=c11 --error-exitcode=1 --inline-suppr \
	--enable=warning,performance,portability \
	--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
	-D__x86_64__ -DPROBE_PHYS_VERSION='""' \
	-Iuser/lib -Itests/unit -Iinclude/uapi \
	"${user_c[@]}" || complain "cppcheck found something"

echo "lint: shellcheck"
mapfile -t scripts < <(git ls-files -z | xargs -0 awk '
	FNR == 1 && /^#!.*(bash|\/sh)/ { print FILENAME }
	{ nextfile }')
shellcheck -x "${scripts[@]}" || complain "shellcheck found something"

echo "lint: error bounds"
# Calls of parameter_measured() in a row, without strings and nested brackets.
measured_calls() {
	tr '\n\t' '  ' < "$1" |
		sed -E 's/"([^"\\]|\\.)*"/S/g; s/parameter_measured\(/\nMEASURED[/g' |
		sed -E ':a; s/\([^()]*\)//; ta' |
		{ grep -oE '^MEASURED\[[^;)]*' || true; }
}
while read -r f; do
	grep -vnE '^\s*(/\*|\*)' "$f" |
		grep -E '[*/] [A-Za-z_.>-]*alpha\b|\balpha [*/] ' &&
		complain "$f: types a bound: draw errors, and use budget_bound()"
	measured_calls "$f" | awk -F, '
		$3 ~ /^ *([A-Z0-9.][A-Za-z0-9_.+-]*|ldexp|pow|exp2?) *$|alpha/ &&
		$3 !~ /^ *0 *$/ {
			print
			bad = 1
		}
		END { exit bad }' ||
		complain "$f: parameter_measured() with a number for a bound: 0 is no test of known error, else use budget_bound()"
done < <(git ls-files 'user/lib/method/*.c')
# No other budget: each result has BUDGET_RESULT.
git ls-files 'user/*.[ch]' | grep -v '^user/lib/observe/budget\.[ch]$' |
	xargs grep -nE 'alpha_(left|result)\b|\(struct budget\)' &&
	complain "a budget is made or changed beside budget_begin()"

echo "lint: words"
scripts/lint-words.py --code || status=1

echo "lint: imports"
scripts/lint-imports.py || status=1

echo "lint: circles"
scripts/lint-circles.py || status=1

echo "lint: profiles"
tests/machines/make-profiles.py --check tests/machines ||
	complain "a profile contradicts itself"

echo "lint: sizes"
# One contract, one header: probe_phys.h stays whole.
git ls-files -z '*.c' '*.h' '*.sh' ':!include/uapi/linux/probe_phys.h' |
	xargs -0 awk '
		function complain(where, what) {
			print "lint: " where ": " what
			bad = 1
		}
		FNR == 1 { begin = 0 }
		FNR == 401 { complain(FILENAME, "more than 400 lines") }
		FILENAME !~ /\.c$/ { next }
		/^\{/ { begin = FNR }
		/^\}/ {
			lines = FNR - begin - 1
			if (begin && lines > 50)
				complain(FILENAME ":" begin,
					"function of " lines " lines (cap 50)")
			begin = 0
		}
		END { exit bad }' || status=1

exit $status
