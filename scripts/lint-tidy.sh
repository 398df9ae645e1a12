#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint-tidy.sh - clang-tidy with the checks of .clang-tidy. Any finding fails.
#
#	scripts/lint-tidy.sh [FILE.c ...]	default: all of user/ and of the tests
#
# Files that are unchanged since they passed, with all that they include, are not
# read again: build/tidy keeps the checksum of what each file becomes after the
# preprocessor.
#
# Environment:
#	TIDY_JOBS=N		files at a time (default: CPUs)
#	PROBE_PHYS_LINT_PART=K	without arguments one file in K (default 1: all)
#	PROBE_PHYS_TURN=N	which of them (default 0)
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
export kept=build/tidy
mkdir -p "$kept"

[ -e compile_commands.json ] || make -s compile_commands.json || exit 1
files=("$@")
failed=0 left=0
if [ $# = 0 ]; then
	mapfile -t all < <(git ls-files 'user/*.c' 'tests/unit/*.c' \
		'tests/bench/*.c')
	mapfile -t files < <(printf '%s\n' "${all[@]}" |
		awk -v k="${PROBE_PHYS_LINT_PART:-1}" \
			-v turn="${PROBE_PHYS_TURN:-0}" '(NR + turn) % k == 0')
	left=$((${#all[@]} - ${#files[@]}))
fi

# What the compiler sees of a file and the checks: the same again is no news.
sum_of() {	# file
	local command

	command=$(jq -r --arg file "$1" \
		'first(.[] | select(.file == $file) | .command)' \
		compile_commands.json)
	eval "${command% -MMD*} -E $1" 2>/dev/null | cat - .clang-tidy | sha256sum
}

one() {	# file
	local sum pass=$kept/${1//\//-}.pass

	sum=$(sum_of "$1")
	[ "$sum" != "$(cat "$pass" 2>/dev/null)" ] || return 0
	clang-tidy --quiet -p . "$1" 2>/dev/null || return 1
	echo "$sum" >"$pass"
}
export -f one sum_of

# shellcheck disable=SC2016 # of the other shell
printf '%s\0' "${files[@]}" |
	xargs -0 -n 1 -P "${TIDY_JOBS:-$(nproc)}" bash -c 'one "$1"' _ || failed=1
[ $left = 0 ] || echo "lint-tidy: $left left out (files of other days)"
[ $failed = 0 ]
