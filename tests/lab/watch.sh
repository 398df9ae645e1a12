# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# watch.sh - is the emulated computer still awake? Read by run.sh.
#
# QEMU 10.0 with several threads loses an interrupt of a CPU's timer in some boots
# on a crowded host: in its local APIC the vector stays in service, the guest does
# not hear of it, and whoever naps on that CPU does for ever. A CPU that works wants
# to run, whether the host lets it or not.

# Ends the child of process $1 and returns 1 once none of its threads has wanted to
# run in $2 seconds, counted more than those in which one did.
watch_child() {	# process seconds
	local child asleep=0

	while kill -0 "$1" 2> /dev/null; do
		sleep 1
		child=$(cut -d ' ' -f 1 "/proc/$1/task/$1/children" 2> /dev/null)
		[ -n "$child" ] || continue
		if cat "/proc/$child"/task/*/stat 2> /dev/null |
		   grep -q ') R '; then
			# The other CPU has its ticks.
			asleep=$((asleep > 4 ? asleep - 4 : 0))
			continue
		fi
		asleep=$((asleep + 1))
		[ "$asleep" -ge "$2" ] || continue
		kill "$child"
		return 1
	done
}
