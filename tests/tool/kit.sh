# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# kit.sh - run the built tool and compare its output; sourced by the scripts that
# measure simulated machines. They end with closing().
#
# Environment:
#	PROBE_PHYS_TOOL_PART=K	of the long examples one in K (default 1: all)
#	PROBE_PHYS_TURN=N	which of them (default: the seed)
# shellcheck disable=SC2034 # used there
tool=$PWD/build/probe-phys
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0
failed=0
examples=0
left=0

# Whether to do the next long example: another one each turn.
is_of_today() {
	local turn=${PROBE_PHYS_TURN:-${PROBE_PHYS_SEED:-1}}

	if [ $(((examples++ + turn) % ${PROBE_PHYS_TOOL_PART:-1})) = 0 ]; then
		return 0
	fi
	left=$((left + 1))
	return 1
}

closing() {	# name
	[ "$left" = 0 ] || echo "$1: $left left out (examples of other days)"
	echo "$1: $passed passed, $failed failed"
	[ "$failed" = 0 ]
}

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
