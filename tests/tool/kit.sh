# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# kit.sh - run the built tool and compare its output; sourced by the scripts that
# measure simulated machines. They end with a line of $passed and $failed.
# shellcheck disable=SC2034 # used there
tool=$PWD/build/probe-phys
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0
failed=0

flunk() {	# what
	echo "not ok: $1"
	head -n 3 "$work/err" | sed 's/^/    stderr: /'
	failed=$((failed + 1))
}

run() {	# status ARGUMENT...
	local status=$1 got

	shift
	timeout 300 "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	if [ "$got" = "$status" ]; then
		passed=$((passed + 1))
	else
		flunk "$*: exit status $got instead of $status"
	fi
}

says() {	# PATTERN: on one line of stderr
	if grep -qE -- "$1" "$work/err"; then
		passed=$((passed + 1))
	else
		flunk "stderr lacks '$1'"
	fi
}
