#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - boot stock kernels with the module and run its tests in them.
#
#	tests/vm/run.sh [6.1|6.12 ...]
#
# Three boots a kernel: "main" (1 GiB, all suites), "big" (4 GiB, what needs
# large pages) and "arm64" (an arm64 guest, whose emulated counters count what
# was run, exactly; the suites about counters, walks, views and flushes). On
# request only "arm64-main": all suites in an arm64 guest. The guest reports over
# a second serial port; what has not come to its closing mark has failed, whatever
# it said before. Logs, the initramfs and the verdict stay in build/vm/SERIES.
#
# Environment:
#	PROBE_PHYS_VM_ACCEL=kvm		fast, if the machine has it (default tcg);
#					tcg,thread=multi: true concurrency;
#					not for arm64
#	PROBE_PHYS_VM_TIMEOUT=SECONDS	a boot may take (default 720)
#	PROBE_PHYS_VM_JOBS=N		boots at the same time (default 2)
#	PROBE_PHYS_VM_BOOTS="main big arm64"	which boots
#	PROBE_PHYS_VM_SUITES=a,b	only these suites, or "tool" (not "big")
#	PROBE_PHYS_VM_SEED=N		seed of the random tests (default: date)
#	V=1				print passed tests too
#	CI=true				a skip fails unless kernel or CPU cannot
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
here=tests/vm
out=build/vm
cache=${PROBE_PHYS_KERNEL_CACHE:-build/kernels}
accel=${PROBE_PHYS_VM_ACCEL:-tcg}
limit=${PROBE_PHYS_VM_TIMEOUT:-720}
jobs=${PROBE_PHYS_VM_JOBS:-2}
boots=${PROBE_PHYS_VM_BOOTS:-main big arm64}
seed=${PROBE_PHYS_VM_SEED:-$(date +%Y%m%d)}

fail() {
	echo "probe-phys: $1" >&2
	exit 1
}

arch_of() {	# boot
	case $1 in
	arm64*) echo arm64 ;;
	*) echo amd64 ;;
	esac
}

emulator_of() {	# arch
	case $1 in
	arm64) echo qemu-system-aarch64 ;;
	*) echo qemu-system-x86_64 ;;
	esac
}

# The architectures of all boots.
arches() {
	local name

	for name in $boots; do
		arch_of "$name"
	done | sort -u
}

# --- what goes into the guest ----------------------------------------------

build_tests() {	# arch
	local prefix=aarch64-linux-gnu- root

	if [ "$1" = amd64 ]; then
		make -s -C "$here" CC=gcc OUT="$top/$out/gcc"
		return
	fi
	scripts/kernels.sh user-arm64 || return 1
	root=$(cd "$cache" && pwd)/user-arm64/root
	make -s -C "$here" CC=${prefix}gcc-12 AR=${prefix}ar \
		SYSROOT="$root" OUT="$top/$out/$1"
}

# Copy program $1 with its shared libraries into the tree $2.
copy_program() {
	local lib

	install -D "$1" "$2/bin/$(basename "$1")"
	ldd "$1" | grep -o '/[^ ]*' | while read -r lib; do
		install -D "$lib" "$2$lib"
	done
}

# What only amd64 guests get: pretended MSRs and the tool.
add_amd64() {	# series folder
	local series=$1 dir=$2 fake

	# Only the suites of "main" load it.
	if [[ " $boots " == *" main "* ]] && [ -e kmod/cpu/msr_fake.c ]; then
		fake=$(scripts/build-module.sh "$series" amd64 \
			PROBE_PHYS_FAKE_MSR=y) || return 1
		cp "$fake" "$dir/probe_phys_fake.ko"
	fi
	cp "$(command -v busybox)" "$dir/bin/busybox"
	cp "$out/gcc/vmtest" "$dir/bin/vmtest"
	if [ -x build/probe-phys ]; then
		copy_program build/probe-phys "$dir"
		cp "$here/tool.sh" "$dir/tool.sh"
	fi
}

build_initramfs() {	# series arch
	local series=$1 arch=$2 dir=$out/$1/root-$2 module

	rm -rf "$dir"
	mkdir -p "$dir/bin"
	module=$(scripts/build-module.sh "$series" "$arch") || return 1
	cp "$module" "$dir/probe_phys.ko"
	install -m 755 "$here/init" "$dir/init"
	if [ "$arch" = amd64 ]; then
		add_amd64 "$series" "$dir" || return 1
	else
		cp "$cache/user-$arch/root/bin/busybox" "$dir/bin/busybox"
		cp "$out/$arch/vmtest" "$dir/bin/vmtest"
	fi
	(cd "$dir" && find . | cpio -o -H newc -R 0:0 --quiet) |
		gzip -1 > "$out/$series/initramfs-$arch.gz"
}

# Suites of the test program that no phase of the guest names: they never run.
left_out() {
	local name

	sed -n 's/^\t{ "\([a-z0-9_]*\)", t_suite_.*/\1/p' "$here/main.c" |
	while read -r name; do
		grep -qw "$name" "$here/init" || echo "$name"
	done
}

# --- one boot --------------------------------------------------------------

# Sets qemu (options) and extra (the kernel's) for an amd64 guest.
computer_amd64() {	# series boot
	local memory=1G cpu=max threads=''

	# On a crowded host the kernel's test of the timer at boot, meant for broken
	# chips, does not see ticks in time.
	extra="console=ttyS0 pp.verdict=ttyS1 no_timer_check"
	if [ "$2" = big ]; then
		memory=4G
		extra="$extra hugepagesz=1G hugepages=1"
	fi
	case $accel in
	# QEMU before 8.1 lets one CPU run what another has just patched away
	# ("Oops: int3"), unless all are emulated by one thread.
	tcg) threads=,thread=single ;;
	tcg,*) ;;
	*) cpu=host ;;
	esac
	qemu=(-accel "$accel$threads" -cpu "$cpu"
	      -m "$memory" -serial "file:$out/$1/$2.log"
	      -serial "file:$out/$1/$2.verdict")
}

# The same for an arm64 guest. An instruction takes 2^shift ns of its clock; of
# cycles QEMU gives it one a nanosecond.
computer_arm64() {	# series boot
	local shift=3

	extra="console=ttyAMA0 pp.verdict=ttyS0 pp.cycles=$((1 << shift))"
	# The kernel's own map in large pages, on kernels with an option for it.
	[ "$1" = 6.1 ] || extra="$extra rodata=on kfence.sample_interval=100"
	qemu=(-machine virt -machine "gic-version=3" -accel tcg
	      -icount "shift=$shift" -cpu max -m 1G
	      -serial "file:$out/$1/$2.log"
	      -chardev "file,id=verdict,path=$out/$1/$2.verdict"
	      -device "pci-serial,chardev=verdict")
}

boot() {	# series boot
	local series=$1 boot=$2 dir=$out/$1 arch qemu extra

	arch=$(arch_of "$boot")
	case $arch in
	arm64) computer_arm64 "$series" "$boot" ;;
	*) computer_amd64 "$series" "$boot" ;;
	esac
	: > "$dir/$boot.verdict"
	# Pages come dirty from the allocator, so that zeroing is the module's
	# work; slub_debug finds what is written after its end.
	timeout -k 5 "$limit" "$(emulator_of "$arch")" "${qemu[@]}" \
		-nodefaults -no-user-config -display none -no-reboot -smp 2 \
		-kernel "$cache/$series-$arch/vmlinuz" \
		-initrd "$dir/initramfs-$arch.gz" \
		-append "loglevel=5 panic=-1 oops=panic panic_on_warn=1 init_on_alloc=0 slub_debug=FZP log_buf_len=8M secretmem.enable=1 rdinit=/init lsm=lockdown,yama pp.boot=$boot pp.seed=$seed pp.suites=${PROBE_PHYS_VM_SUITES:-} $extra" \
		> "$dir/$boot.qemu" 2>&1 < /dev/null
	echo $? > "$dir/$boot.status"
}

# --- the verdict -----------------------------------------------------------

# Turn the guest's TAP into one line per test plus a line with the counts:
# "counts PASSED FAILED SKIPPED".
judge() {	# series boot
	tr -d '\r\000' < "$out/$1/$2.verdict" | awk -v where="$1 $2" \
		-v ci="${CI:-}" '
	function name(line) {
		sub(/^(not )?ok [0-9]+ - [^:]*:/, "", line)
		sub(/: .*/, "", line)
		return phase " " line
	}
	function end_of_phase() {
		if (phase == "")
			return
		if (planned != seen || !seen) {
			failed++
			printf "not ok %s %s: %d of %s tests reported\n",
				where, phase, seen,
				planned < 0 ? "unknown" : planned
		}
		phase = ""
	}
	/^# phase / { end_of_phase(); phase = $3; planned = -1; seen = 0 }
	/^1\.\.[0-9]+$/ { planned = substr($0, 4) + 0 }
	/^ok [0-9]/ {
		seen++; passed++
		printf "ok %s %s\n", where, name($0)
	}
	/^not ok [0-9]/ {
		seen++
		why = $0
		sub(/^not ok [0-9]+ - [^:]*:[^:]*:[^:]*: /, "", why)
		if (sub(/^SKIP: /, "", why)) {
			if (ci == "true" && why !~ /^(kernel|cpu) cannot/) {
				failed++
				printf "not ok %s %s: skipped: %s\n", where,
					name($0), why
			} else {
				skipped++
				printf "ok %s %s # SKIP %s\n", where, name($0),
					why
			}
		} else {
			failed++
			printf "not ok %s %s: %s\n", where, name($0), why
		}
	}
	/^# end / { end_of_phase() }
	/^# complete/ { complete = 1 }
	END {
		end_of_phase()
		if (!complete) {
			failed++
			printf "not ok %s: the guest did not come to its end\n",
				where
		}
		printf "counts %d %d %d\n", passed, failed, skipped
	}'
}

# Print what a boot said; add up the counts.
report() {	# series boot
	local dir=$out/$1 p f s

	judge "$1" "$2" > "$dir/$2.results"
	if [ -n "${V:-}" ]; then
		grep -v '^counts ' "$dir/$2.results"
	else
		grep -E '^not ok|# SKIP' "$dir/$2.results"
	fi
	read -r _ p f s < <(grep '^counts ' "$dir/$2.results")
	if [ "$(cat "$dir/$2.status")" != 0 ]; then
		f=$((f + 1))
		echo "not ok $1 $2: qemu ended with status $(cat "$dir/$2.status") (124: $limit s were over)"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	if [ "$f" != 0 ]; then
		echo "--- end of the guest's log ($dir/$2.log)"
		tail -n 40 "$dir/$2.log"
		cat "$dir/$2.qemu"
		echo "--- again: PROBE_PHYS_VM_SEED=$seed PROBE_PHYS_VM_BOOTS=$2 tests/vm/run.sh $1"
	fi
}

# --- all of it -------------------------------------------------------------

[ $# -gt 0 ] || set -- 6.1 6.12
for arch in $(arches); do
	emulator=$(emulator_of "$arch")
	command -v "$emulator" >/dev/null ||
		fail "cannot boot kernels: no $emulator (scripts/deps.sh check)"
done
lost=$(left_out)
[ -z "$lost" ] || fail "suites that no phase runs: ${lost//$'\n'/ } (name them in $here/init)"
mkdir -p "$out"

# One run at a time: they share their folders.
exec 8>"$out/.lock"
flock 8
for arch in $(arches); do
	build_tests "$arch" ||
		fail "cannot build the guest's tests for $arch (see above)"
done

echo "vm: seed $seed, $accel, boots: $boots"
ready=
for series in "$@"; do
	mkdir -p "$out/$series"
	rm -f "$out/$series"/*.status "$out/$series"/*.results
	built=yes
	for arch in $(arches); do
		scripts/kernels.sh "$series-$arch" || exit 1
		build_initramfs "$series" "$arch" || built=no
	done
	[ "$built" = no ] || ready="$ready $series"
done

for series in $ready; do
	for name in $boots; do
		while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
			wait -n
		done
		boot "$series" "$name" &
	done
done
wait

total=0
for series in "$@"; do
	passed=0 failed=0 skipped=0
	case " $ready " in
	*" $series "*)
		for name in $boots; do
			report "$series" "$name"
		done ;;
	*)
		echo "not ok $series: the module does not build"
		failed=1 ;;
	esac
	echo "vm-$series: $passed passed, $failed failed, $skipped skipped"
	total=$((total + failed))
done
exit $((total > 0))
