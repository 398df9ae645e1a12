#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint-kernel.sh - what kernel people's tools have to say about the module:
# checkpatch --strict, kernel-doc, W=1 and sparse on each kernel. Any finding
# fails. Prints a line per tool.
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${PROBE_PHYS_KERNEL_CACHE:-$top/build/kernels}
cd "$top" || exit 1

failed=0
check() {	# what command...
	local what=$1 out

	shift
	if out=$("$@" 2>&1); then
		echo "lint: ok: $what"
	else
		echo "$out"
		echo "lint: FAILED: $what"
		failed=$((failed + 1))
	fi
}

scripts/kernels.sh 6.1-amd64 6.12-amd64 6.1-arm64 6.12-arm64 checkpatch || exit 1
cache=$(cd "$cache" && pwd)

mapfile -t files < <(find kmod include Kbuild -type f \
	\( -name '*.[ch]' -o -name Kbuild \) ! -name '*.mod.c' | sort)
mapfile -t headers < <(find include kmod -type f -name '*.h' | sort)

# Called by way of check(). What checkpatch cannot know without a kernel tree
# is left out.
# shellcheck disable=SC2317
checkpatch() {
	perl "$cache/checkpatch/checkpatch.pl" --no-tree --strict --terse \
		--show-types --no-summary --ignore FILE_PATH_CHANGES \
		--ignore LINUX_VERSION_CODE -f "$@"
}

check "checkpatch --strict" checkpatch "${files[@]}"
check "kernel-doc" perl "$cache/6.1-amd64/build/scripts/kernel-doc" \
	-none -Werror "${headers[@]}"
for kernel in "6.1 amd64" "6.12 amd64" "6.1 arm64" "6.12 arm64" \
		"6.12 amd64 PROBE_PHYS_FAKE_MSR=y"; do
	# shellcheck disable=SC2086 # words
	check "W=1 and sparse, $kernel" \
		env STRICT=1 SPARSE=1 scripts/build-module.sh $kernel
done
exit $((failed > 0))
