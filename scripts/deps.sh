#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# deps.sh - the one list of what probe-phys needs from the distribution, and
# the installer for it.
#
#	scripts/deps.sh tool|check [--print]
#
# tool: build and run probe-phys; check: that and everything the tests need.
# A package of the group "wish" is skipped where the distribution does not have it.
# Installed packages are not requested again: with all of them present nothing is
# fetched. --print only lists the missing ones.
#
# Exit: 0 all installed, 1 failed, 2 usage, 3 cannot install here (nothing done).
set -euo pipefail

list() {	# group package...  # job
	cat <<-'LIST'
	tool	gcc			# compiler of the tool
	tool	libc6-dev		# C library, argp
	tool	make			# front door
	tool	pkg-config		# finds the libraries
	tool	libnl-3-dev		# netlink
	tool	libnl-genl-3-dev	# generic netlink
	tool	libjansson-dev		# JSON, in and out
	wish	libpfm4-dev		# names of events; the tool builds without
	wish	libcairo2-dev		# pictures; the tool builds without
	headers	linux-headers-RUNNING	# builds the module for this kernel
	check	gcc-12			# compiler of Debian's kernels
	check	check			# unit tests
	check	libsubunit-dev		# static libcheck links to it
	check	qemu-system-x86		# boots the kernels under test
	check	qemu-system-arm		# the same for arm64
	check	busybox-static		# the guest's user space
	check	cpio			# its initramfs
	check	xz-utils		# unpacks kernel sources
	check	stress-ng		# noise for the statistics
	check	pahole			# kbuild: type information of modules, since 6.12
	check	sparse			# lint: kernel address spaces, locks
	check	clang			# second compiler
	check	libclang-rt-dev		# its libFuzzer; clang only recommends it
	check	clang-format		# lint: layout
	check	clang-tidy		# lint: user side
	check	cppcheck		# lint: user side
	check	shellcheck		# lint: scripts
	check	universal-ctags		# lint: who calls whom
	check	perl			# lint: checkpatch, kernel-doc
	check	python3			# lint: checkpatch's spdxcheck, plots
	check	valgrind		# memory errors of the tool
	check	jq			# JSON in shell tests
	check	gcc-12-aarch64-linux-gnu	# module for arm64
	check	libc6-dev-arm64-cross	# tool for arm64
	check	binutils-x86-64-linux-gnu	# compiler names in kernel headers
	check	debian-archive-keyring	# kernel packages are signed with it
	LIST
}

fail() {
	echo "probe-phys: $1" >&2
	exit "${2:-1}"
}

installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Packages of the wanted groups, one a line.
wanted() {
	list | sed 's/[[:space:]]*#.*//' | while read -r group package; do
		case $1:$group in
		tool:tool | check:tool | check:check) echo "$package" ;;
		*:wish)
			! apt-cache show "$package" >/dev/null 2>&1 ||
				echo "$package" ;;
		*:headers)
			# Optional: without them make builds the tool alone.
			package=linux-headers-$(uname -r)
			if [ ! -e "/lib/modules/$(uname -r)/build" ] &&
			   apt-cache show "$package" >/dev/null 2>&1; then
				echo "$package"
			fi ;;
		esac
	done
}

missing() {
	local package

	wanted "$1" | while read -r package; do
		installed "$package" || echo "$package"
	done
}

print_only=no
group=
for arg in "$@"; do
	case $arg in
	--print) print_only=yes ;;
	tool | check) group=$arg ;;
	*) fail "unknown argument '$arg': no such group or option (usage: scripts/deps.sh tool|check [--print])" 2 ;;
	esac
done
[ -n "$group" ] || fail "no group given (usage: scripts/deps.sh tool|check [--print])" 2

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	wanted "$group" 2>/dev/null
	fail "cannot install dependencies: not a Debian-like system (install the packages of the list above; your distribution may name them differently)" 3
fi

packages=$(missing "$group" | tr '\n' ' ')
if [ "$print_only" = yes ]; then
	echo "$packages" | tr ' ' '\n' | sed '/^$/d'
	exit 0
fi
[ -n "${packages// /}" ] || exit 0

if [ "$(id -u)" != 0 ]; then
	echo "$packages" | tr ' ' '\n' | sed '/^$/d'
	fail "cannot install dependencies: not root (as root: apt-get install --no-install-recommends $packages)" 3
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq ||
	fail "cannot read the package lists: apt-get update failed (check the network and /etc/apt)"
# Headers of the running kernel can turn up only after the update.
packages=$(missing "$group" | tr '\n' ' ')
# shellcheck disable=SC2086 # a list of words
apt-get install -y -qq --no-install-recommends $packages >/dev/null ||
	fail "cannot install dependencies: apt-get failed (try by hand: apt-get install --no-install-recommends $packages)"
