#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - the profile parser, the drawings and the model on inputs that libFuzzer
# mutates from tests/fuzz/corpus and tests/machines, and the analysis of curves on
# inputs mutated from tests/fuzz/curves.
#
# Without libFuzzer only the kept inputs are run. An input that fails is left in
# build/fuzz, with the command that repeats it.
#
#	tests/fuzz/run.sh [merge]
#
# merge: choose a new tests/fuzz/corpus from the inputs in build/fuzz: the smallest set
# that covers all known branches. Curves are chosen by hand.
#
# Environment:
#	FUZZ_SECONDS=N		how long (default 60): a third of it for curves
#	PROBE_PHYS_SEED=N	seed of libFuzzer (default 1)
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
seconds=${FUZZ_SECONDS:-60}
# To libFuzzer 0 means "any seed"; it has 32 bits.
seed=$((${PROBE_PHYS_SEED:-1} % 0x7fffffff + 1))
work=build/fuzz
kept=tests/fuzz/corpus
mkdir -p "$work/corpus" "$work/curves" "$kept"

passed=0
failed=0
skipped=0

compile() {	# target make-variable...
	local target=$1

	shift
	make -s -f user.mk "$target" "$@" >"$work/build.log" 2>&1
}

# run NAME COMMAND...: passes, or prints how to repeat the failure.
run() {
	local name=$1 log=$work/$1.log

	shift
	if "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "not ok: $name (whole log: $log)"
	grep -aE 'not true|ERROR|runtime error|SUMMARY' "$log" | head -n 5 |
		cut -c 1-200
	sed -n "s|.*Test unit written to |    repeat: $fuzzer |p" "$log"
	# Of the kept inputs the last one that was begun.
	grep -a 'Test unit written' "$log" >/dev/null ||
		sed -n "s|^Running: |    repeat: $fuzzer |p" "$log" | tail -n 1
}

merge() {
	rm -rf "$work/merged"
	mkdir "$work/merged"
	# Branches without their counts: some hundred files.
	"$fuzzer" -merge=1 -use_counters=0 -max_len=3000 "$work/merged" \
		tests/machines "$kept" "$work/corpus" 2>"$work/merge.log" ||
		exit 1
	rm -rf "$kept" "$work/corpus"
	mv "$work/merged" "$kept"
	echo "$(find "$kept" -type f | wc -l) inputs kept," \
		"$(du -bs "$kept" | cut -f 1) bytes"
}

# replay TARGET FILE...: runs kept inputs.
replay() {
	local target=$1

	shift
	run "replay-$target" "$fuzzer" "${limit[@]}" "$@"
}

# mutate TARGET SECONDS ARGUMENT...: lets libFuzzer mutate inputs.
mutate() {
	local log=$work/mutate-$1.log name=mutate-$1 length=$2

	shift 2
	run "$name" "$fuzzer" -seed="$seed" -max_total_time="$length" \
		-timeout=60 -rss_limit_mb=2048 -artifact_prefix="$work/" "$@"
	sed -nE 's/^#.*cov: ([0-9]+).*/\1/p' "$log" | tail -n 1 |
		sed "s/.*/fuzz: $(sed -n 's/^Done \([0-9]*\).*/\1/p' \
			"$log") inputs, & edges/"
}

limit=()
if compile fuzz CC=clang FUZZ=1; then
	limit=(-timeout=60)
	fuzzer=build/clang-fuzz/fuzz-profile
	if [ "${1:-}" = merge ]; then
		merge
		exit
	fi
	echo "fuzz: libFuzzer, $seconds s, seed $seed"
	replay profile "$kept"/* tests/machines/*.json
	mutate profile $((seconds - seconds / 3)) -max_len=16384 \
		-dict=tests/fuzz/profile.dict "$work/corpus" "$kept"
	fuzzer=build/clang-fuzz/fuzz-curve
	replay curve tests/fuzz/curves/*
	mutate curve $((seconds / 3 > 0 ? seconds / 3 : 1)) -max_len=2048 \
		"$work/curves" tests/fuzz/curves
elif compile fuzz-replay SANITIZE=1; then
	[ "${1:-}" != merge ] || exit 1
	fuzzer=build/gcc-sanitize/replay-profile
	replay profile "$kept"/* tests/machines/*.json
	fuzzer=build/gcc-sanitize/replay-curve
	replay curve tests/fuzz/curves/*
	if [ "${CI:-}" = true ]; then
		echo "not ok: no libFuzzer ($work/build.log tells why)"
		failed=$((failed + 1))
	else
		echo "SKIP mutate: no libFuzzer (install clang and libclang-rt-dev)"
		skipped=1
	fi
else
	cat "$work/build.log"
	failed=1
fi
echo "fuzz: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
