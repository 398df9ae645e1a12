#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# build-module.sh - build probe_phys.ko for one of the kernels of kernels.sh.
#
#	[STRICT=1] [SPARSE=1] scripts/build-module.sh SERIES ARCH [VAR=VALUE ...]
#
# Works on a copy in build/module/SERIES-ARCH, so that kernels do not step on
# each other; with VAR=VALUE (for make) the folder's name carries them. Files
# that have not changed are not compiled again, unless they have warned. SPARSE=1
# checks all files with sparse, too; STRICT=1 makes any warning a failure. Prints
# the module's path.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${PROBE_PHYS_KERNEL_CACHE:-$top/build/kernels}

fail() {
	echo "probe-phys: $1" >&2
	exit 1
}

[ $# -ge 2 ] || fail "no kernel is named: too few arguments (usage: scripts/build-module.sh 6.1 amd64)"
series=$1 arch=$2
shift 2

cd "$top"
scripts/kernels.sh "$series-$arch"
kdir=$(cd "$cache" && pwd)/$series-$arch/build

name=$series-$arch
for var in "$@"; do
	name=$name-$(tr -c 'A-Za-z0-9\n' _ <<< "$var")
done
dir=$top/build/module/$name
mkdir -p "$dir"

exec 9>"$dir/.lock"
flock 9

# Unchanged files keep their time; files that went away go away here too.
sync_sources() {
	local file

	while IFS= read -r file; do
		mkdir -p "$dir/$(dirname "$file")"
		cmp -s "$file" "$dir/$file" || cp "$file" "$dir/$file"
	done < "$dir/sources"
	(cd "$dir" && find kmod include -name '*.[ch]' ! -name '*.mod.c') |
	while IFS= read -r file; do
		[ -e "$file" ] || rm -f "$dir/$file"
	done
}

find Kbuild kmod include -type f \( -name '*.[chS]' -o -name Kbuild \) \
	! -name '*.mod.c' > "$dir/sources"
sync_sources

case $arch in
amd64) args=(ARCH=x86 CC=gcc-12) ;;
arm64) args=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-) ;;
*) fail "cannot build for '$arch': no such architecture here (amd64 or arm64)" ;;
esac
args+=(-C "$kdir" "M=$dir" W=1 "$@")
if [ -n "${SPARSE:-}" ]; then
	args+=(C=2)
fi

# MAKEFLAGS of a calling make has its own variables and jobs.
if ! env -u MAKEFLAGS -u MFLAGS make --no-print-directory -j "$(nproc)" \
		"${args[@]}" modules > "$dir/log" 2>&1; then
	cat "$dir/log" >&2
	fail "cannot build the module for $name: make failed (see above)"
fi
# Headers of a distribution have no vmlinux to take type information from, and
# name the very compiler they were built with.
if grep -E '[Ww]arning|WARNING|error:' "$dir/log" |
		grep -vE 'the compiler differs|Skipping BTF' > "$dir/warnings"; then
	cat "$dir/log" >&2
	# What has warned must warn again, for a run that is strict.
	find "$dir" -name '*.o' -delete
	[ -z "${STRICT:-}" ] ||
		fail "module for $name: $(wc -l < "$dir/warnings") warnings (see above)"
fi
echo "$dir/probe_phys.ko"
