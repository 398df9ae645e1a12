#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
#
# tool.sh - the tool on the real module, inside the guest. TAP goes to
# descriptor 3, what the tool says to standard output.

n=0
ok() {
	n=$((n + 1))
	echo "ok $n - tool:tool:$1: Passed" >&3
}

not_ok() {
	n=$((n + 1))
	echo "not ok $n - tool:tool:$1: $2" >&3
}

# Run a command that must end with a status, within a minute.
exits() {	# name status command...
	local name=$1 want=$2 got

	shift 2
	timeout 60 "$@"
	got=$?
	if [ "$got" = "$want" ]; then
		ok "$name"
	else
		not_ok "$name" "status $got, wanted $want"
	fi
}

# The same; standard output must be one JSON object. An emulator that shares
# its host may have no steady clock for a while, and then the tool refuses.
prints_json() {	# name command...
	local name=$1 got=3 try

	shift
	for try in 1 2 3 4 5; do
		[ "$got" = 3 ] || break
		[ "$try" = 1 ] || sleep 2
		timeout 60 "$@" > /tmp/json
		got=$?
	done
	if [ "$got" != 0 ]; then
		not_ok "$name" "status $got"
	elif [ "$(head -c 1 /tmp/json)" != '{' ] ||
	     [ "$(tail -c 2 /tmp/json | head -c 1)" != '}' ]; then
		not_ok "$name" "no JSON object"
	else
		ok "$name"
	fi
}

exits info 0 probe-phys info
exits buffers 0 probe-phys buffers
exits help 0 probe-phys --help
exits "usage error" 2 probe-phys --no-such-option
prints_json "info as JSON" probe-phys --json info
prints_json "measurement as JSON" probe-phys --machine module --json
echo "1..$n" >&3
