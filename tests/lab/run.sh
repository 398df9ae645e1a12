#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - the virtual lab: the real module and tool in an emulated computer
# whose caches and TLBs are those of a profile.
#
#	tests/lab/run.sh [PROFILE.json ...]
#
# For each profile a stock kernel boots under QEMU's TCG; a plugin sends the
# memory accesses of one CPU through the model of user/lib/model and makes what
# they cost the guest's time. The tool's answers must be the profile's, or
# undecided with a reason, and the same as in the sim machine (same.sh).
# Where one of the two is undecided the profile is measured once more with another
# seed: the emulator's guest sees more interrupts on a crowded host.
# Before that the lab proves itself on a profile with counts that are known
# exactly (guest/exact.c, exact.sh), and AMP, which has nothing but counters, is
# held against small machines of its own (amp.sh). Everything stays in build/lab.
#
# Environment:
#	LAB_PROFILES=all|"NAME ..."	profiles of tests/machines (default: a
#					few of different character)
#	LAB_AMP=none|"NAME ..."		machines of tests/lab/amp (default: all)
#	LAB_SERIES=6.1|6.12		kernel (default 6.12)
#	LAB_SEED=N			seed of the tool (default: date)
#	LAB_DECIDE_BY=WHAT		the tool's --decide-by: auto, counters, time,
#					or both of these in turn; without it
#					half of the profiles by counters and half
#					by time, the other way round on odd days
#	LAB_JOBS=N			computers at a time (default: CPUs)
#	LAB_TIMEOUT=SECONDS		a computer may take (default 1800)
#	LAB_CYCLE_PS=N			guest time of a cycle (default 5000)
# shellcheck disable=SC2154 # of the files that are read
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
here=tests/lab
out=build/lab
cache=${PROBE_PHYS_KERNEL_CACHE:-build/kernels}
series=${LAB_SERIES:-6.12}
seed=${LAB_SEED:-$(date +%Y%m%d)}
by=${LAB_DECIDE_BY:-half}
jobs=${LAB_JOBS:-$(nproc)}
limit=${LAB_TIMEOUT:-1800}
cycle_ps=${LAB_CYCLE_PS:-5000}
# Seconds in which no CPU of a computer wants to run: it never will again.
asleep_s=60
# Those that take long first, so that no computer is left over at the end.
few="adv-sliced-l3-8 adv-hashed-l2 adv-small-tlb adv-random adv-exclusive-l2"

fail() {
	echo "probe-phys: $1" >&2
	exit 1
}

# --- the emulator ----------------------------------------------------------

# The distribution's QEMU where it is new enough, else one fetched beside.
find_qemu() {
	local root=$cache/qemu/root version

	qemu=(qemu-system-x86_64)
	version=$(qemu-system-x86_64 --version 2>/dev/null |
		sed -n 's/^QEMU emulator version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
	read -r major minor <<< "${version:-0 0}"
	if [ $((major * 100 + minor)) -ge 902 ] && [ "$major" -lt 11 ]; then
		return
	fi
	scripts/kernels.sh qemu || exit 1
	qemu=("$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu"
	      -L "$root/usr/share/seabios" -L /usr/share/seabios)
	"${qemu[@]}" --version > /dev/null ||
		fail "cannot run the fetched QEMU: see above (scripts/deps.sh check installs its libraries)"
}

# --- what goes into the guest ----------------------------------------------

# Build the lab's own module against the kernel's headers.
build_pmu() {
	local dir=$out/pmu-$series

	mkdir -p "$dir"
	cp -u "$here"/pmu/* "$here/plugin/bar.h" "$dir/"
	env -u MAKEFLAGS -u MFLAGS make --no-print-directory \
		-C "$cache/$series-amd64/build" "M=$top/$dir" ARCH=x86 \
		CC=gcc-12 W=1 modules > "$dir/log" 2>&1 || {
		cat "$dir/log" >&2
		fail "cannot build the lab's PMU for $series (see above)"
	}
	! grep -E '[Ww]arning|error:' "$dir/log" |
		grep -vE 'the compiler differs|Skipping BTF' ||
		fail "the lab's PMU has warnings (see above)"
}

# Copy program $1 with its shared libraries into the tree $2.
copy_program() {
	local lib

	install -D "$1" "$2/bin/$(basename "$1")"
	ldd "$1" | grep -o '/[^ ]*' | while read -r lib; do
		install -D "$lib" "$2$lib"
	done
}

build_initramfs() {
	local dir=$out/root module

	rm -rf "$dir"
	mkdir -p "$dir/bin"
	module=$(scripts/build-module.sh "$series" amd64) || exit 1
	build_pmu
	cp "$module" "$out/pmu-$series/pp_lab.ko" "$dir"
	cp "$(command -v busybox)" "$dir/bin/busybox"
	cp "$out/host/exact" "$out/host/hog" "$dir/bin"
	install -m 755 "$here/init" "$dir/init"
	copy_program build/probe-phys "$dir"
	(cd "$dir" && find . | cpio -o -H newc -R 0:0 --quiet) |
		gzip -1 > "$out/initramfs.gz"
}

# --- one computer ----------------------------------------------------------

# shellcheck source=tests/lab/watch.sh
. "$here/watch.sh"

# Guest memory is a sparse file; on a disk it would be written back for hours.
memory_folder() {
	local free

	free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)
	if [ "${free:-0}" -gt $((jobs * 2 * 1024 * 1024)) ]; then
		mktemp -d /dev/shm/probe-phys-lab.XXXXXX
	else
		mktemp -d "$top/$out/memory.XXXXXX"
	fi
}

# An Intel processor (Skylake) for its documented prefetcher switch. Without
# fast string instructions: TCG executes them byte by byte, and half a gigabyte
# to be zeroed would be as many accesses to the model. The kernel stays in the
# first GiB, so that another one is free for a page of that size. On a crowded
# host its test of the timer at boot, meant for broken chips, would not see
# ticks in time.
boot_once() {	# profile name what by seed
	local profile=$1 dir=$out/$2 what=$3 by=$4 memory start=$SECONDS pages=
	local slept=0

	[ "$what" != exact ] || pages="hugepagesz=1G hugepages=1"

	mkdir -p "$dir"
	: > "$dir/verdict"
	memory=$(memory_folder)
	truncate -s 3G "$memory/ram"
	truncate -s 1M "$memory/bar"
	QEMU_MODULE_DIR=$cache/qemu/root/usr/lib/x86_64-linux-gnu/qemu \
	LD_PRELOAD=$top/$out/host/clock.so \
	timeout -k 5 "$limit" "${qemu[@]}" \
		-nodefaults -no-user-config -display none -no-reboot \
		-accel tcg,thread=multi -cpu max,vendor=GenuineIntel,family=6,model=94,stepping=3,hypervisor=off,la57=off,erms=off,fsrm=off,fsrs=off \
		-smp 2 -m 3G -machine pc,memory-backend=ram \
		-object "memory-backend-file,id=ram,size=3G,mem-path=$memory/ram,share=on" \
		-object "memory-backend-file,id=bar,size=1M,mem-path=$memory/bar,share=on" \
		-device ivshmem-plain,memdev=bar \
		-plugin "$out/host/plugin.so,profile=$profile,ram=$memory/ram,bar=$memory/bar,cycle-ps=$cycle_ps" \
		-kernel "$cache/$series-amd64/vmlinuz" \
		-initrd "$out/initramfs.gz" \
		-serial "file:$dir/log" -serial "file:$dir/verdict" \
		-append "console=ttyS0 loglevel=5 panic=-1 oops=panic rdinit=/init clocksource=hpet tsc=unstable mitigations=off nokaslr no_timer_check isolcpus=1 $pages lab.do=$what lab.seed=$5 lab.by=$by" \
		> "$dir/qemu" 2>&1 < /dev/null &
	watch_child $! "$asleep_s" || slept=1
	wait $!
	echo $? > "$dir/status"
	rm -rf "$memory"
	echo $((SECONDS - start)) > "$dir/seconds"
	return "$slept"
}

boot() {	# as boot_once
	local try

	for try in 1 2 3; do
		boot_once "$@" && return
		echo "lab: $2: the emulated computer fell asleep (try $try)"
	done
}

# --- the verdict -----------------------------------------------------------

again() {	# name
	echo "--- end of the guest's log ($out/$1/log)"
	tail -n 15 "$out/$1/log"
	cat "$out/$1/qemu"
	[ ! -s "$out/$1/said" ] || cat "$out/$1/said"
}

# What the guest printed, and what the tool said in it.
hear() {	# folder
	tr -d '\r\000' < "$1/verdict" > "$1/text"
	sed -n 's/^# said //p' "$1/text" > "$1/said"
}

# Why there is nothing to judge.
no_answers() {	# folder status-line
	local status

	status=$(sed -n "s/^# $2 //p" "$1/text")
	echo "WRONG: no answers: qemu $(cat "$1/status"), tool ${status:-none}"
}

# shellcheck source=tests/lab/exact.sh
. "$here/exact.sh"
# shellcheck source=tests/lab/amp.sh
. "$here/amp.sh"

# shellcheck source=tests/lab/profile.sh
. "$here/profile.sh"

# Tests of the lab itself: it must notice tampered answers and a guest that sleeps.
report_tests() {	# name [argument]
	local log=$out/$1/log

	mkdir -p "$out/$1"
	"$here/test-$1.sh" "${@:2}" > "$log" 2>&1
	grep -vE "^(ok |1\.\.)" "$log"
	passed=$((passed + $(grep -c '^ok ' "$log")))
	failed=$((failed + $(grep -c '^not ok ' "$log")))
	grep -q '^1\.\.' "$log" || failed=$((failed + 1))
}

# --- all of it -------------------------------------------------------------

wait_for_room() {
	while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
		wait -n
	done
}

# The --decide-by of profile number $1.
deciders() {
	local turn=$((($1 + 10#$(date +%d)) % 2))

	case $by in
	both) echo counters time ;;
	half) [ "$turn" = 0 ] && echo counters || echo time ;;
	*) echo "$by" ;;
	esac
}

case $by in
half|both|auto|counters|time) ;;
*) fail "LAB_DECIDE_BY=$by: not auto, counters, time or both" ;;
esac
if [ $# = 0 ]; then
	names=${LAB_PROFILES:-$few}
	[ "$names" != all ] || names=$(cd tests/machines && ls ./*.json)
	[ "$names" != none ] || names=
	for name in $names; do
		set -- "$@" "tests/machines/$(basename "$name" .json).json"
	done
fi
runs=()
for profile in "$@"; do
	[ -r "$profile" ] || fail "cannot read profile $profile: no such file"
	number=$((${number:--1} + 1))
	for how in $(deciders $number); do
		runs+=("$profile $(basename "$profile" .json)-by-$how $how")
	done
done

mkdir -p "$out"
exec 8>"$out/.lock"
flock 8
find_qemu
make -s -C "$here" || fail "cannot build the lab (see above)"
scripts/kernels.sh "$series-amd64" || exit 1
build_initramfs

echo "lab: seed $seed, kernel $series, ${qemu[0]}, ${#runs[@]} runs, by $by on $(date +%F)"
boot "$here/exact.json" exact exact auto "$seed" &
for machine in $amp_machines; do
	wait_for_room
	measure_amp "$machine" &
done
for run in "${runs[@]}"; do
	wait_for_room
	# shellcheck disable=SC2086 # three words
	measure $run &
done
wait

passed=0 failed=0 skipped=0
report_exact exact
for machine in $amp_machines; do
	report_amp_machine "$machine"
done
report_tests same "$out/same"
report_tests watch
for run in "${runs[@]}"; do
	read -r profile name how <<< "$run"
	if [ -d "$out/$name-first" ]; then
		report_profile "$profile" "$name-first" "$how"
		grep '^UNEVEN' "$out/$name-first/compared" | sed 's/^/    /'
	fi
	report_profile "$profile" "$name" "$how"
	report_same "$profile" "$name" "$how"
done
echo "lab: $passed passed, $failed failed, $skipped skipped"
exit $((failed > 0))
