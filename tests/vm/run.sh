#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - boot stock kernels with the module and run its tests in them.
#
#	tests/vm/run.sh [6.1|6.12 ...]
#
# Two boots a kernel: "main" (1 GiB, all suites) and "big" (4 GiB, what needs
# large pages). The guest reports over a second serial port; what has not come
# to its closing mark has failed, whatever it said before. Logs, the initramfs
# and the verdict stay in build/vm/SERIES.
#
# Environment:
#	PROBE_PHYS_VM_ACCEL=kvm		fast, if the machine has it (default tcg);
#					tcg,thread=multi: true concurrency
#	PROBE_PHYS_VM_TIMEOUT=SECONDS	a boot may take (default 480)
#	PROBE_PHYS_VM_JOBS=N		boots at the same time (default 2)
#	PROBE_PHYS_VM_BOOTS="main big"	which boots
#	PROBE_PHYS_VM_SUITES=a,b	only these suites, or "tool" (main boot)
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
limit=${PROBE_PHYS_VM_TIMEOUT:-480}
jobs=${PROBE_PHYS_VM_JOBS:-2}
boots=${PROBE_PHYS_VM_BOOTS:-main big}
seed=${PROBE_PHYS_VM_SEED:-$(date +%Y%m%d)}

fail() {
	echo "probe-phys: $1" >&2
	exit 1
}

# --- what goes into the guest ----------------------------------------------

# Copy program $1 with its shared libraries into the tree $2.
copy_program() {
	local lib

	install -D "$1" "$2/bin/$(basename "$1")"
	ldd "$1" | grep -o '/[^ ]*' | while read -r lib; do
		install -D "$lib" "$2$lib"
	done
}

build_initramfs() {	# series
	local series=$1 dir=$out/$1/root module fake

	rm -rf "$dir"
	mkdir -p "$dir/bin"
	module=$(scripts/build-module.sh "$series" amd64) || return 1
	cp "$module" "$dir/probe_phys.ko"
	if [ -e kmod/msr_fake.c ]; then
		fake=$(scripts/build-module.sh "$series" amd64 \
			PROBE_PHYS_FAKE_MSR=y) || return 1
		cp "$fake" "$dir/probe_phys_fake.ko"
	fi
	cp "$(command -v busybox)" "$dir/bin/busybox"
	cp "$out/gcc/vmtest" "$dir/bin/vmtest"
	install -m 755 "$here/init" "$dir/init"
	if [ -x build/probe-phys ]; then
		copy_program build/probe-phys "$dir"
		cp "$here/tool.sh" "$dir/tool.sh"
	fi
	(cd "$dir" && find . | cpio -o -H newc -R 0:0 --quiet) |
		gzip -1 > "$out/$series/initramfs.gz"
}

# --- one boot --------------------------------------------------------------

boot() {	# series boot
	local series=$1 boot=$2 dir=$out/$1 memory=1G extra='' cpu=max threads=''

	if [ "$boot" = big ]; then
		memory=4G
		extra="hugepagesz=1G hugepages=1"
	fi
	case $accel in
	# QEMU before 8.1 lets one CPU run what another has just patched away
	# ("Oops: int3"), unless all are emulated by one thread.
	tcg) threads=,thread=single ;;
	tcg,*) ;;
	*) cpu=host ;;
	esac
	: > "$dir/$boot.verdict"
	# Pages come dirty from the allocator, so that zeroing is the module's
	# work; slub_debug finds what is written after its end.
	timeout -k 5 "$limit" qemu-system-x86_64 \
		-nodefaults -no-user-config -display none -no-reboot \
		-accel "$accel$threads" -cpu "$cpu" -smp 2 -m "$memory" \
		-kernel "$cache/$series-amd64/vmlinuz" \
		-initrd "$dir/initramfs.gz" \
		-serial "file:$dir/$boot.log" \
		-serial "file:$dir/$boot.verdict" \
		-append "console=ttyS0 loglevel=5 panic=-1 oops=panic panic_on_warn=1 init_on_alloc=0 slub_debug=FZP log_buf_len=8M secretmem.enable=1 rdinit=/init lsm=lockdown,yama pp.boot=$boot pp.seed=$seed pp.suites=${PROBE_PHYS_VM_SUITES:-} $extra" \
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
command -v qemu-system-x86_64 >/dev/null ||
	fail "cannot boot kernels: no qemu-system-x86_64 (scripts/deps.sh check)"
mkdir -p "$out"

# One run at a time: they share their folders.
exec 8>"$out/.lock"
flock 8
make -s -C "$here" CC=gcc OUT="$top/$out/gcc" || fail "cannot build the guest's tests (see above)"

echo "vm: seed $seed, $accel, boots: $boots"
ready=
for series in "$@"; do
	mkdir -p "$out/$series"
	rm -f "$out/$series"/*.status "$out/$series"/*.results
	scripts/kernels.sh "$series-amd64" || exit 1
	if build_initramfs "$series"; then
		ready="$ready $series"
	fi
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
