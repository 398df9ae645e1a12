#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# lint-kernel.sh - what kernel people's tools have to say about the module:
# checkpatch --strict, kernel-doc, W=1 and sparse on each kernel. Any finding
# fails. Prints a line per tool.
#
# Environment:
#	PROBE_PHYS_LINT_PART=K	of the builds for a kernel one in K (default 1: all)
#	PROBE_PHYS_TURN=N	which of them (default 0)
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

scripts/kernels.sh 6.1-amd64 checkpatch || exit 1
cache=$(cd "$cache" && pwd)

mapfile -t files < <(find kmod include Kbuild -type f \
	\( -name '*.[ch]' -o -name Kbuild \) ! -name '*.mod.c' | sort)
mapfile -t headers < <(find include kmod -type f -name '*.h' | sort)

# A folder of kmod/ may include the folders that stand before it here, by their
# main header; the files of kmod/ itself that others include stand below all.
# shellcheck disable=SC2317
folders() {	# file...
	awk '
		BEGIN {
			n = split("base cpu mem walk dev netlink", name, " ")
			for (i = 1; i <= n; i++)
				floor[name[i]] = i
		}
		FNR == 1 {
			split(FILENAME, part, "/")
			own = part[2]
			if (own ~ /\./)
				own = ""
			else if (!(own in floor))
				complain(FILENAME, "this folder has no floor")
			else if (++files[own] > 25)
				complain(own, "more than 25 files")
		}
		/^#include "/ {
			split($2, part, "\"")
			header = part[2]
			other = header
			if (!sub("/.*", "", other)) {
				if (header != "compat.h" && header != "limits.h")
					complain(FILENAME, header)
			} else if (own != "" && other != own &&
				   floor[other] >= floor[own]) {
				complain(FILENAME, "may not include " header)
			} else if (other != own && header != other "/" other ".h") {
				complain(FILENAME, header " is internal")
			}
		}
		function complain(where, what) {
			print where ": " what
			bad = 1
		}
		END { exit bad }' "$@"
}

# Files of at most 400 lines, functions of at most 50.
# shellcheck disable=SC2317
sizes() {	# file...
	awk '
		FNR == 1 { begin = 0 }
		FNR == 401 { complain(FILENAME, "more than 400 lines") }
		/^\{/ { begin = FNR }
		/^\}/ {
			if (begin && FNR - begin - 1 > 50)
				complain(FILENAME ":" begin, "more than 50 lines")
			begin = 0
		}
		function complain(where, what) {
			print where ": " what
			bad = 1
		}
		END { exit bad }' "$@"
}

mapfile -t module < <(git ls-files 'kmod/*.[ch]')
mapfile -t tests < <(git ls-files 'tests/vm/*' 'tests/lab/*.[ch]' 'tests/lab/*.sh')
check "folders of kmod/" folders "${module[@]}"
check "sizes" sizes "${module[@]}" "${tests[@]}"

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
# Of three parts each has one build at least, and the second both architectures.
kernels=("6.1 amd64" "6.12 amd64" "6.12 amd64 PROBE_PHYS_FAKE_MSR=y" "6.12 arm64"
	"6.1 arm64")
left=0
for i in "${!kernels[@]}"; do
	if [ $(((i + ${PROBE_PHYS_TURN:-0}) % ${PROBE_PHYS_LINT_PART:-1})) != 0 ]; then
		left=$((left + 1))
		continue
	fi
	# shellcheck disable=SC2086 # words
	check "W=1 and sparse, ${kernels[$i]}" \
		env STRICT=1 SPARSE=1 scripts/build-module.sh ${kernels[$i]}
done
[ $left = 0 ] || echo "lint-kernel: $left left out (kernels of other days)"
exit $((failed > 0))
