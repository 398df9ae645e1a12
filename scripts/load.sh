#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# load.sh - load probe_phys.ko, or say in one line why that is not possible.
set -u

cd "$(dirname "$0")/.." || exit 1

fail() {
	echo "probe-phys: $1" >&2
	exit 3
}

[ -e /dev/probe_phys ] && exit 0
[ -e /proc/modules ] ||
	fail "cannot load probe_phys.ko: this kernel has no loadable modules (the hugepage machine needs none)"
[ -e probe_phys.ko ] ||
	fail "cannot load probe_phys.ko: it is not built (install the kernel's headers and run make)"
[ "$(id -u)" = 0 ] ||
	fail "cannot load probe_phys.ko: not root (sudo make load)"
insmod probe_phys.ko ||
	fail "cannot load probe_phys.ko: insmod refused it (see dmesg; under Secure Boot the module must be signed)"
