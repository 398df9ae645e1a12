#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# kernels.sh - Debian's kernels, unpacked beside the build, for tests to build
# against and to boot. Nothing is installed and /etc/apt is not changed.
#
#	scripts/kernels.sh [SERIES-ARCH ...]
#
# Default: 6.1-amd64 6.12-amd64 6.1-arm64 6.12-arm64. Each becomes a folder
# build/kernels/SERIES-ARCH with
#
#	build	headers, for make -C .../build M=...
#	vmlinuz	the kernel image
#	release	its version as uname -r gives it
#
# The word "checkpatch" stands for scripts/checkpatch.pl of the 6.1 sources,
# "qemu" for an emulator new enough for the virtual lab, in the folder qemu/root,
# "user-arm64" for what a guest of that architecture runs besides its kernel:
# static busybox and libraries to link the tests with, in user-arm64/root.
# PROBE_PHYS_KERNEL_CACHE may name another folder. What is there already is
# not fetched again.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${PROBE_PHYS_KERNEL_CACHE:-$top/build/kernels}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

fail() {
	echo "probe-phys: $1" >&2
	exit 1
}

# --- apt with its own lists ------------------------------------------------

# Options for apt tools: own lists and package cache for architecture $1.
apt_options() {
	local dir=$cache/apt/$1

	mkdir -p "$dir/lists/partial" "$dir/archives/partial"
	apt_args=(-o "APT::Architecture=$1" -o "APT::Architectures=$1"
		  -o "Dir::State::lists=$dir/lists"
		  -o "Dir::Cache=$dir" -o "Dir::Cache::archives=$dir/archives"
		  -o "APT::Get::List-Cleanup=0" -o "Acquire::Languages=none"
		  -o "APT::Sandbox::User=$(id -un)" -o "Debug::NoLocking=1")
	if [ -e "$dir/sources.list" ]; then
		apt_args+=(-o "Dir::Etc::sourcelist=$dir/sources.list"
			   -o "Dir::Etc::sourceparts=/dev/null")
	fi
}

# The mirror that this machine uses for Debian's origin $1 (an extended regular
# expression); nothing when it uses none.
mirror_of() {
	# shellcheck disable=SC2016 # apt's variables
	apt-get indextargets --format '$(REPO_URI) $(LABEL)' 2>/dev/null |
		sed -nE "s|^([^ ]+) ($1)\$|\1|p" | head -n 1
}

# All of Debian 12, from the machine's own mirrors, for machines whose sources
# lack a part of it.
write_sources() {
	local key=/usr/share/keyrings/debian-archive-keyring.gpg suite
	local main security

	[ -e "$key" ] ||
		fail "cannot fetch kernels: no $key (install debian-archive-keyring)"
	main=$(mirror_of 'Debian')
	security=$(mirror_of 'Debian-Security')
	[ -n "$main" ] ||
		fail "cannot fetch kernels: no Debian mirror in apt's sources (add one, then run scripts/kernels.sh again)"
	for suite in bookworm bookworm-backports; do
		echo "deb [signed-by=$key] $main $suite main"
	done > "$cache/apt/$1/sources.list"
	[ -z "$security" ] ||
		echo "deb [signed-by=$key] $security bookworm-security main" \
			>> "$cache/apt/$1/sources.list"
}

# The package that meta package $2 of architecture $1 stands for.
resolve() {
	apt_options "$1"
	apt-cache "${apt_args[@]}" depends --important "$2" 2>/dev/null |
		sed -n 's/^  Depends: \(linux-[^ ]*[0-9][^ ]*\)$/\1/p' | head -n 1
}

# Read package lists of architecture $1 until meta package $2 is known.
update() {
	apt_options "$1"
	[ -z "$(resolve "$1" "$2")" ] || return 0
	apt-get "${apt_args[@]}" update -qq >/dev/null 2>"$cache/apt/$1/log" || true
	[ -z "$(resolve "$1" "$2")" ] || return 0
	write_sources "$1"
	apt_options "$1"
	apt-get "${apt_args[@]}" update -qq >/dev/null 2>"$cache/apt/$1/log" || true
	[ -n "$(resolve "$1" "$2")" ] ||
		fail "cannot find package $2 for $1: $(tail -n 1 "$cache/apt/$1/log") (check the network, then run scripts/kernels.sh again)"
}

# Download package $2 of architecture $1 into the folder $3.
download() {
	local try

	apt_options "$1"
	mkdir -p "$3"
	for try in 1 2 3; do
		if (cd "$3" && apt-get "${apt_args[@]}" download -qq "$2" \
				>/dev/null 2>"$cache/apt/$1/log"); then
			return 0
		fi
		# Lists older than the archive name packages that are gone.
		apt-get "${apt_args[@]}" update -qq >/dev/null 2>&1 || true
	done
	fail "cannot download $2 ($try tries): $(tail -n 1 "$cache/apt/$1/log") (check the network, then run scripts/kernels.sh again)"
}

# --- one kernel ------------------------------------------------------------

meta() {	# kind series arch
	case $2 in
	6.1) echo "linux-$1-$3" ;;
	*) echo "linux-$1-$2-$3" ;;
	esac
}

depends_on() {	# arch package pattern: the dependency that matches
	apt_options "$1"
	apt-cache "${apt_args[@]}" depends --important "$2" 2>/dev/null |
		sed -n "s/^  Depends: \\($3\\)\$/\\1/p" | head -n 1
}

# Headers name their common part by an absolute path, and the tools by links
# that stay right inside the unpacked tree.
relocate() {
	local makefile

	for makefile in "$1"/usr/src/linux-headers-*/Makefile; do
		sed -i "s|^include /usr/src/|include $1/usr/src/|" "$makefile"
	done
}

# The packages of the folder $1/debs, into $1/root.
unpack() {
	local deb

	for deb in "$1"/debs/*.deb; do
		dpkg-deb -x "$deb" "$1/root"
	done
	rm -rf "$1/debs"
}

provide() {	# series arch
	local series=$1 arch=$2 dir=$cache/$1-$2 new=$cache/$1-$2.new
	local headers image common kbuild host release

	[ ! -e "$dir/release" ] || [ ! -e "$dir/vmlinuz" ] || return 0
	echo "probe-phys: fetching kernel $series for $arch" >&2
	host=$(dpkg --print-architecture)
	rm -rf "$new" "$dir"
	mkdir -p "$new/debs" "$new/root"

	update "$arch" "$(meta headers "$series" "$arch")"
	headers=$(resolve "$arch" "$(meta headers "$series" "$arch")")
	release=${headers#linux-headers-}
	common=$(depends_on "$arch" "$headers" 'linux-headers-.*-common')
	kbuild=$(depends_on "$arch" "$headers" 'linux-kbuild-[^ :]*')
	download "$arch" "$headers" "$new/debs"
	download "$arch" "$common" "$new/debs"
	# Its programs run here, whatever they build for.
	update "$host" "$(meta headers "$series" "$host")"
	download "$host" "$kbuild" "$new/debs"
	unpack "$new"

	image=linux-image-$release
	download "$arch" "$image" "$new/debs"
	dpkg-deb --fsys-tarfile "$new"/debs/*.deb |
		tar -x -C "$new/root" --wildcards './boot/*'
	rm -rf "$new/debs"
	ln -s "root/boot/vmlinuz-$release" "$new/vmlinuz"
	[ -e "$new/vmlinuz" ] ||
		fail "cannot use $image: it holds no /boot/vmlinuz-$release (report this)"

	ln -s "root/usr/src/linux-headers-$release" "$new/build"
	mv "$new" "$dir"
	relocate "$dir/root"
	[ -e "$dir/build/scripts/Makefile.build" ] ||
		fail "cannot use $headers: its scripts are missing (report this)"
	echo "$release" > "$dir/release"
}

# scripts/checkpatch.pl and its word lists, out of the 6.1 sources.
provide_checkpatch() {
	local dir=$cache/checkpatch new=$cache/checkpatch.new host

	[ ! -e "$dir/checkpatch.pl" ] || return 0
	echo "probe-phys: fetching checkpatch" >&2
	rm -rf "$new" "$dir"
	mkdir -p "$new"
	host=$(dpkg --print-architecture)
	update "$host" "$(meta headers 6.1 "$host")"
	download "$host" linux-source-6.1 "$new/debs"
	dpkg-deb --fsys-tarfile "$new"/debs/*.deb |
		tar -xO ./usr/src/linux-source-6.1.tar.xz |
		tar -xJ -C "$new" --strip-components=2 \
			linux-source-6.1/scripts/checkpatch.pl \
			linux-source-6.1/scripts/spelling.txt \
			linux-source-6.1/scripts/const_structs.checkpatch
	rm -rf "$new/debs"
	mv "$new" "$dir"
}

# QEMU of the backports, with the libraries that the installed one needs too.
provide_qemu() {
	local dir=$cache/qemu new=$cache/qemu.new host package

	[ ! -e "$dir/root/usr/bin/qemu-system-x86_64" ] || return 0
	echo "probe-phys: fetching QEMU" >&2
	rm -rf "$new" "$dir"
	mkdir -p "$new/root"
	host=$(dpkg --print-architecture)
	apt_options "$host"
	if [ ! -e "$cache/apt/$host/sources.list" ]; then
		write_sources "$host"
		apt_options "$host"
		apt-get "${apt_args[@]}" update -qq >/dev/null \
			2>"$cache/apt/$host/log" || true
	fi
	for package in qemu-system-x86 qemu-system-common qemu-system-data; do
		download "$host" "$package/bookworm-backports" "$new/debs"
	done
	unpack "$new"
	mv "$new" "$dir"
}

# Architecture $1's own packages, for guests: nothing of them runs here.
provide_user() {
	local arch=$1 dir=$cache/user-$1 new=$cache/user-$1.new package

	[ ! -e "$dir/root" ] || return 0
	echo "probe-phys: fetching programs and libraries for $arch" >&2
	rm -rf "$new" "$dir"
	mkdir -p "$new/root"
	update "$arch" "$(meta headers 6.1 "$arch")"
	for package in busybox-static check libsubunit-dev libnl-3-dev \
			libnl-genl-3-dev; do
		download "$arch" "$package" "$new/debs"
	done
	unpack "$new"
	mv "$new" "$dir"
}

command -v apt-get >/dev/null ||
	fail "cannot fetch kernels: no apt-get here (unpack Debian's kernel packages into $cache by hand, see scripts/kernels.sh)"
[ $# -gt 0 ] || set -- 6.1-amd64 6.12-amd64 6.1-arm64 6.12-arm64
for name in "$@"; do
	# Two runs at once must not unpack over each other.
	exec 9>"$cache/.lock"
	flock 9
	case $name in
	checkpatch) provide_checkpatch ;;
	qemu) provide_qemu ;;
	user-arm64) provide_user arm64 ;;
	*-amd64 | *-arm64) provide "${name%-*}" "${name##*-}" ;;
	*) fail "no kernel '$name': not SERIES-ARCH (usage: scripts/kernels.sh 6.1-amd64)" ;;
	esac
done
