#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tuning.sh - constants that are tuned for speed change no answer.
#
# Builds the tool with all of them halved, and with all doubled (user/lib/base/tuned.h),
# and compares the answers of both with those of build/probe-phys on machines that
# are linear, hashed, have several TLBs, duel, or are guests (answers.sh: each
# parameter's value and status). Where a number fails, it decides something: then it
# is derived from an error, or a threshold that its folder's tuning.h does not scale.
#
#	tests/sim/tuning.sh [--quick]
#
# --quick: three machines.
#
# Environment:
#	PROBE_PHYS_TUNED=WORDS		half, double or both (default)
#	PROBE_PHYS_TUNED_IN=FOLDER	scale only those of method/tlb, say
#	PROBE_PHYS_ANSWERS, PROBE_PHYS_SIM_LIMIT	as for answers.sh
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
quick=no
[ "${1:-}" != --quick ] || quick=yes
folder=${PROBE_PHYS_TUNED_IN:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PROBE_PHYS_ANSWERS=${PROBE_PHYS_ANSWERS:-$work/answers}
passed=0 failed=0

# Sizes of types in headers would differ between files that were compiled apart.
if grep -rn --include='*.h' '/tuning\.h"' user/lib; then
	echo "tuning: only .c files may include a tuning.h"
	failed=1
fi

compare() {	# tool condition options profile...
	local tool=$1 condition=$2 options=$3

	shift 3
	PROBE_PHYS_CONDITION=$condition PROBE_PHYS_OPTIONS=$options \
		tests/sim/answers.sh build/probe-phys "$tool" \
		"${@/#/tests/machines/}" >"$work/out"
	grep -v ' passed, ' "$work/out"
	counts=$(sed -n 's/^answers: \([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' \
		"$work/out")
	counts=${counts:-0 1}
	passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

for scale in ${PROBE_PHYS_TUNED:-half double}; do
	tool=build/gcc-tuned-$scale${folder:+-${folder//\//-}}/probe-phys
	make -s -j "$(nproc)" -f user.mk CC=gcc TUNED="$scale" TUNED_IN="$folder" \
		"$tool" >"$work/log" || {
		cat "$work/log"
		exit 1
	}
	echo "tuning: $scale${folder:+ of $folder}"
	if [ $quick = yes ]; then
		compare "$tool" quiet '' adv-small-tlb.json adv-exclusive-l2.json \
			adv-hashed-small-l2.json
		continue
	fi
	compare "$tool" quiet '' adv-small-tlb.json adv-exclusive-l2.json \
		adv-hashed-small-l2.json adv-hashed-l2.json adv-sliced-l3-8.json \
		adv-random-16way.json adv-bip.json adv-coalescing-tlb.json \
		adv-direct-mapped-tlb.json adv-write-through-l1.json \
		adv-no-counters.json adv-duel-ivy-bridge-l2.json \
		modern-cortex-a76.json modern-nehalem-i7-920.json
	compare "$tool" virtual '' modern-nehalem-i7-920.json modern-cortex-a76.json
	compare "$tool" quiet 'policy --levels 2' adv-fifo.json \
		modern-nehalem-i7-920.json adv-duel-ivy-bridge-l2.json
	compare "$tool" quiet compare adv-small-tlb.json amp-pii-233.json
done
echo "tuning: $passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
