#!/bin/busybox sh
# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0
#
# tool.sh - the tool on the real module, inside the guest. TAP is written to
# descriptor 3, the tool's output to standard output.

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
# The emulator has no cache, so the tool can search for minutes: then it is
# interrupted and must report what it has found.
prints_json() {	# name command...
	local name=$1 got=3 try

	shift
	for try in 1 2 3 4 5; do
		[ "$got" = 3 ] || break
		[ "$try" = 1 ] || sleep 2
		timeout -s INT 120 "$@" > /tmp/json
		got=$?
	done
	if [ "$got" = 1 ] && grep -q '"complete": false' /tmp/json; then
		got=0
	fi
	if [ "$got" != 0 ]; then
		not_ok "$name" "status $got"
	elif [ "$(head -c 1 /tmp/json)" != '{' ] ||
	     [ "$(tail -c 2 /tmp/json | head -c 1)" != '}' ]; then
		not_ok "$name" "no JSON object"
	else
		ok "$name"
	fi
}

# Killed at any moment the tool leaves nothing behind in the module.
survives_kills() {	# times
	local i=0 pid milliseconds

	while [ "$i" -lt "$1" ]; do
		i=$((i + 1))
		probe-phys --machine module --json > /dev/null 2>&1 &
		pid=$!
		milliseconds=$(($(od -A n -t u2 -N 2 /dev/urandom) % 1500))
		usleep $((milliseconds * 1000))
		kill -9 "$pid"
		wait "$pid"
	done
	probe-phys buffers > /tmp/buffers
	cat /tmp/buffers
	if grep -q '^buffers: none' /tmp/buffers &&
	   grep -q '^walks: none' /tmp/buffers; then
		ok "killed $1 times"
	else
		not_ok "killed $1 times" "something is left: $(head -n 1 /tmp/buffers)"
	fi
}

exits info 0 probe-phys info
exits buffers 0 probe-phys buffers
exits help 0 probe-phys --help
exits "usage error" 2 probe-phys --no-such-option
prints_json "info as JSON" probe-phys --json info
prints_json "registers as JSON" probe-phys --machine module --json --only registers
prints_json "measurement as JSON" probe-phys --machine module --json
# QEMU's emulation has no cache of page walks, which the module cannot distinguish
# from one that the kernel empties: no number, but a reason of its own.
prints_json "walk caches as JSON" probe-phys --machine module --json \
	--only tlbs --time-limit 2
grep -A 8 '"level": "pde"' /tmp/json > /tmp/pde
if grep -q 'none is kept' /tmp/pde ||
   { ! grep -q TCG /proc/cpuinfo && grep -q '"by": "accessed-bits"' /tmp/pde; }
then
	ok "walk caches"
else
	not_ok "walk caches" "$(tr '\n' ' ' < /tmp/pde)"
fi
# It has no switch of prefetchers either, or one that does nothing.
if grep -A 3 '"prefetchers"' /tmp/json | grep -q '"reason": "[^"]*switch'; then
	ok "prefetchers: why they are on"
else
	not_ok "prefetchers: why they are on" "$(grep -A 3 '"prefetchers"' /tmp/json)"
fi
# An emulated processor without counters has none to decide by.
exits "no counters" 3 probe-phys --machine module --decide-by counters
survives_kills 20
echo "1..$n" >&3
