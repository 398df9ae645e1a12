#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test-watch.sh - a sleeping process is ended, a working one is not. Prints TAP.
set -uo pipefail

here=$(dirname "$0")
# shellcheck source=tests/lab/watch.sh
. "$here/watch.sh"
tests=0

expect() {	# ended|left what command...
	local wanted=$1 what=$2 got=left

	shift 2
	timeout 6 "$@" &
	watch_child $! 2 || got=ended
	wait $! 2> /dev/null
	tests=$((tests + 1))
	printf '%s %d - %s: %s, expected %s\n' \
		"$([ "$got" = "$wanted" ] && echo ok || echo 'not ok')" \
		"$tests" "$what" "$got" "$wanted"
}

expect ended "one that sleeps" sleep 5
# shellcheck disable=SC2016 # of the other shell
expect left "one that works" bash -c 'while [ $SECONDS -lt 4 ]; do :; done'
expect left "one that has gone" true
echo "1..$tests"
