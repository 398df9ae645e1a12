#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh - every test, stage by stage, and one closing line that counts.
#
#	scripts/check.sh [--full]
#
# --full takes the long matrices: more seeds, more kills, more runs. A stage
# that ends early counts as one failure. Logs are in build/check.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
logs=build/check
mkdir -p "$logs"
full=no
[ "${1:-}" = --full ] && full=yes

passed=0
failed=0
skipped=0
summary=

# Adds up the counting lines that a stage printed.
count() {	# log
	local p f s

	read -r p f s < <(awk '
		/^[0-9]+%: Checks: / {
			gsub(/[:,]/, "")
			f += $5 + $7; p += $3 - $5 - $7
		}
		/^[a-z0-9.-]+: [0-9]+ passed, [0-9]+ failed/ {
			p += $2; f += $4
			if ($7 ~ /^skipped/) s += $6
		}
		END { print p + 0, f + 0, s + 0 }' "$1")
	stage_passed=$p stage_failed=$f stage_skipped=$s
}

# Counts a stage that has ended.
ended() {	# name rc seconds
	local name=$1 rc=$2

	count "$logs/$name.log"
	# A stage may fail without counting it: a build, a crash.
	if [ "$rc" != 0 ] && [ "$stage_failed" = 0 ]; then
		stage_failed=1
	fi
	if [ "$rc" = 0 ] && [ "$stage_passed" = 0 ]; then
		stage_passed=1
	fi
	passed=$((passed + stage_passed))
	failed=$((failed + stage_failed))
	skipped=$((skipped + stage_skipped))
	summary+=$(printf '%-16s %5d passed %3d failed %3d skipped %5d s' \
		"$name" "$stage_passed" "$stage_failed" "$stage_skipped" \
		"$3")$'\n'
}

stage() {	# name command...
	local name=$1 start=$SECONDS rc

	shift
	echo "== $name"
	"$@" 2>&1 | tee "$logs/$name.log"
	rc=${PIPESTATUS[0]}
	echo "$rc $((SECONDS - start))" >"$logs/$name.end"
	ended "$name" "$rc" $((SECONDS - start))
}

# Stages that time nothing and use one core of two, beside the others. Waited for
# as a background job, so that who is told to end can end it.
beside() {	# name command...
	local name=$1 start=$SECONDS

	shift
	"$@" >"$logs/$name.log" 2>&1 &
	wait $!
	echo "$? $((SECONDS - start))" >"$logs/$name.end"
}

# The tool is built by the first stage; two may not build it at once.
wait_for() {	# name
	while [ ! -e "$logs/$1.end" ]; do
		sleep 1
	done
}

# What became of a stage beside.
finish() {	# name
	local rc=1 seconds=0

	echo "== $1"
	cat "$logs/$1.log"
	read -r rc seconds <"$logs/$1.end"
	ended "$1" "$rc" "$seconds"
}

# Every machine once, the large ones, too, by a tool that finds what it writes where
# there is no room.
sim_sanitized() {
	make -s -f user.mk CC=gcc SANITIZE=1 build/gcc-sanitize/probe-phys &&
		PROBE_PHYS_TOOL=$PWD/build/gcc-sanitize/probe-phys \
			PROBE_PHYS_SIM_LIMIT=3600 tests/sim/run.sh \
			tests/machines/*.json tests/machines/long/*.json
}

seeds=${PROBE_PHYS_SEEDS:-1}
few=1
# Of the long unit matrices a part is done, and less of it by the second compiler,
# sanitized; another part each day, of cases that do not depend on the day.
part_gcc=4
part_clang=32
export PROBE_PHYS_TURN=${PROBE_PHYS_TURN:-$((10#$(date +%j)))}
fuzz_seconds=${FUZZ_SECONDS:-15}
if [ "$full" = yes ]; then
	seeds=20
	few=20
	part_gcc=1
	part_clang=1
	fuzz_seconds=${FUZZ_SECONDS:-600}
	export PROBE_PHYS_TOOL_RUNS=20
	export PROBE_PHYS_AMP_RUNS=200
	export PROBE_PHYS_COOPER_RUNS=40
fi
# Random machines are new each day: those of one seed are a table that has been
# passed. Who lands on a day that finds something keeps the machine as a regression
# case of its suite; PROBE_PHYS_SEED=N repeats that day.
seed=$(date +%Y%m%d)
export PROBE_PHYS_SEED=${PROBE_PHYS_SEED:-$seed}
# Machines of known answers, whose noise is of one seed unless many are wanted.
export LAB_SEED=${LAB_SEED:-1}
export PROBE_PHYS_VM_SEED=${PROBE_PHYS_VM_SEED:-$PROBE_PHYS_SEED}
echo "PROBE_PHYS_SEED=$PROBE_PHYS_SEED PROBE_PHYS_TURN=$PROBE_PHYS_TURN"

# What times nothing runs beside each other; sim has both cores by itself, and what
# times this computer is alone.
# Kernels are fetched meanwhile; who needs one that did not come says why.
rm -f "$logs"/*.end
scripts/kernels.sh 6.1-amd64 6.12-amd64 6.1-arm64 6.12-arm64 checkpatch \
	user-arm64 qemu \
	>"$logs/kernels.log" 2>&1 &
fetching=$!
{
	trap 'kill $! 2>/dev/null; exit 1' TERM
	beside unit-sanitize env PROBE_PHYS_SEEDS=$few PROBE_PHYS_PART=$part_clang \
		make -s -f user.mk check CC=clang SANITIZE=1
	wait_for unit-gcc
	# Examples with known answers, some of them "undecided", of one seed.
	beside policy env PROBE_PHYS_SEED=1 make -s -k check-policy check-compare check-without
} &
others=$!
trap 'kill "$others" 2>/dev/null' EXIT
stage unit-gcc env PROBE_PHYS_SEEDS="$seeds" PROBE_PHYS_PART=$part_gcc \
	make -s -f user.mk check CC=gcc
if [ "$full" = yes ]; then
	stage unit-clang make -s -f user.mk check CC=clang
	stage unit-sanitize-gcc make -s -f user.mk check CC=gcc SANITIZE=1
fi
stage fuzz make -s fuzz FUZZ_SECONDS="$fuzz_seconds"
wait "$fetching"
stage lint make -s lint
stage vm make -s check-vm
wait "$others"
trap - EXIT
finish unit-sanitize
finish policy
stage sim env PROBE_PHYS_SEED=1 PROBE_PHYS_SEEDS=$few make -s check-sim
stage tool make -s check-tool
if [ "$full" = yes ]; then
	stage sim-noisy env PROBE_PHYS_SEEDS=$few PROBE_PHYS_CONDITION=noisy \
		tests/sim/run.sh
	# What a guest leaves open takes a minute of its own clock.
	for condition in virtual virtual-4k; do
		stage "sim-$condition" env PROBE_PHYS_SEEDS=$few \
			PROBE_PHYS_CONDITION=$condition \
			PROBE_PHYS_SIM_LIMIT=900 \
			tests/sim/run.sh tests/machines/modern-*.json
	done
	# Each takes some times as long as usual, the largest some minutes.
	stage sim-sanitize sim_sanitized
	stage sim-random tests/sim/random.sh
	stage sim-amp tests/sim/amp.sh
	# Each run kills 200 times at moments that its seed chooses.
	for kill in 1 2 3 4 5; do
		stage "vm-seed-$kill" env PROBE_PHYS_VM_SEED=$kill \
			make -s check-vm
	done
fi
if [ "$full" = yes ]; then
	export LAB_PROFILES=${LAB_PROFILES:-all}
	export LAB_DECIDE_BY=${LAB_DECIDE_BY:-both}
else
	# Each computer of the lab takes minutes: another one each day, of those that
	# do not take half of CI's hour.
	turn=$PROBE_PHYS_TURN
	profiles=(adv-small-tlb adv-random-16way adv-exclusive-l2
		  adv-hashed-small-l2 adv-sliced-l3-8)
	machines=(split.json unified.json)
	export LAB_PROFILES=${LAB_PROFILES:-${profiles[turn % 5]}}
	export LAB_AMP=${LAB_AMP:-${machines[turn % 2]}}
	echo "LAB_PROFILES=\"$LAB_PROFILES\" LAB_AMP=$LAB_AMP"
fi
stage lab make -s check-lab

echo
echo "$summary"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
