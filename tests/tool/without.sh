#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# without.sh - the tool built without the optional libraries: it measures as usual, and
# reports which library is missing and its package.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
. tests/tool/kit.sh
tool=build/gcc-without-libpfm4-without-cairo/probe-phys
make -s -f user.mk CC=gcc WITHOUT_LIBPFM4=1 WITHOUT_CAIRO=1 "$tool" >"$work/out" 2>&1 || {
	cat "$work/out"
	exit 1
}
machine=sim:tests/machines/adv-one-level.json

needs() {	# PATTERN: no library is linked whose name has it
	if ldd "$tool" | grep -q "$1"; then
		flunk "$1 is linked"
	else
		passed=$((passed + 1))
	fi
}

prints() {	# PATTERN
	if grep -qE -- "$1" "$work/out"; then
		passed=$((passed + 1))
	else
		flunk "stdout lacks '$1'"
	fi
}

needs libcairo
needs libpfm

run 3 --machine "$machine" --only caches compare --method saavedra \
	--picture "$work/picture.svg"
says '^probe-phys: cannot draw .*without cairo.*\(.*libcairo2-dev'
if [ -e "$work/picture.svg" ]; then
	flunk "a picture was written"
else
	passed=$((passed + 1))
fi

run 0 --machine "$machine" info
prints 'libpfm4'
run 0 --machine "$machine" --only caches
prints 'L1'
run 0 --machine "$machine" --only caches compare --method xray,saavedra
prints 'saavedra'

closing without
