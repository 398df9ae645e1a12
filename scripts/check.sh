#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# check.sh - every test, stage by stage, and one closing line that counts.
#
#	scripts/check.sh [--full | --list] [STAGE ...]
#
# Without --full each stage does a part of its cases, another part each day, so that
# two idle CPUs need 10 minutes at most; what it leaves out it counts as left out.
# --full does everything, with more seeds, for hours. --list prints the stages.
#
# The stages of the pool run two at a time with one process each, the longest first;
# they assert nothing about time. The stages that time this computer run alone, after
# them. A stage that fails without counting anything counts as one failure.
#
# Logs are in build/check; so is "seconds", with which the next run compares. Each
# stage has a budget of CPU seconds. A stage over its budget is marked and does not
# fail: the computer may be busy.
#
# Environment:
#	PROBE_PHYS_SEED=N	seed of the random machines (default: date)
#	PROBE_PHYS_TURN=N	which parts are done (default: day of the year)
#	PROBE_PHYS_PART=K	one unit test case in K (default: see below)
#	FUZZ_SECONDS=N		how long inputs are mutated
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
logs=build/check
full=no
list=no
wanted=()
for arg in "$@"; do
	case $arg in
	--full) full=yes ;;
	--list) list=yes ;;
	-*)
		echo "usage: scripts/check.sh [--full | --list] [STAGE ...]" >&2
		exit 2
		;;
	*) wanted+=("$arg") ;;
	esac
done

# --- the stages ------------------------------------------------------------

names=()
# Kernels and libraries beside those that all stages need.
arm64="6.1-arm64 6.12-arm64 user-arm64"
declare -A command_of budget_of where_of

# Adds a stage unless others were named. "first" and "alone" have both CPUs.
stage() {	# first|pool|alone name budget-in-CPU-seconds command
	[ ${#wanted[@]} = 0 ] || [[ " ${wanted[*]} " == *" $2 "* ]] || return 0
	names+=("$2")
	where_of[$2]=$1 budget_of[$2]=$3 command_of[$2]=$4
}

unit() {	# part make-variable...
	echo "PROBE_PHYS_PART=\${PROBE_PHYS_PART:-$1} make -s -f user.mk check ${*:2}"
}

# Which case of a list is done today.
of_the_day() {	# case...
	local cases=("$@")

	echo "${cases[PROBE_PHYS_TURN % $#]}"
}

# Both kernels boot each day: one with its main suites, the other with large pages
# or as an arm64 guest. Six turns do all of them. The lint of that day builds the
# module for the same kernels, so that each file is compiled once.
vm_of_the_day() {
	local main other boot

	read -r main other boot < <(of_the_day "6.1 6.12 arm64" \
		"6.12 6.1 big" "6.12 6.1 arm64" "6.1 6.12 arm64" \
		"6.1 6.12 big" "6.12 6.1 arm64")
	echo "make -s tool; status=0
		PROBE_PHYS_VM_BOOTS=main tests/vm/run.sh $main || status=1
		PROBE_PHYS_VM_BOOTS=$boot tests/vm/run.sh $other || status=1
		echo 'vm: 4 left out (boots of other days)'; exit \$status"
}

# Each computer of the lab takes minutes: these do not take half of the time. On even
# days it is measured as a whole, by counters or by time, on odd ones by AMP. Twelve
# turns do all of it.
lab_of_the_day() {
	LAB_PROFILES=${LAB_PROFILES:-$(of_the_day adv-small-tlb none \
		adv-random-16way none adv-exclusive-l2 none)}
	LAB_AMP=${LAB_AMP:-$(of_the_day none split.json none unified.json)}
	LAB_DECIDE_BY=${LAB_DECIDE_BY:-$(of_the_day counters counters time time)}
	export LAB_PROFILES LAB_AMP LAB_DECIDE_BY
	# shellcheck disable=SC2016 # of the other shell
	lab_command='make -s check-lab; status=$?
		echo "lab: 8 left out (machines of other days)"; exit $status'
}

common_stages() {
	stage first build 160 'make -s -j2 -f user.mk CC=gcc build/probe-phys build/gcc/unit-tests &&
		make -s -j2 -f user.mk CC=clang SANITIZE=1 build/clang-sanitize/unit-tests'
}

stages_of_a_day() {
	# As in vm_of_the_day().
	arm64=$(of_the_day "6.12-arm64 user-arm64" "" "6.1-arm64 user-arm64")
	export PROBE_PHYS_SEEDS=${PROBE_PHYS_SEEDS:-1}
	common_stages
	# The budgets are 1,100 s together, so that two CPUs need 10 minutes.
	stage pool vm 170 "$(vm_of_the_day)"
	stage pool unit-sanitize 130 "$(unit 256 CC=clang SANITIZE=1)"
	lab_of_the_day
	stage pool lab 125 "$lab_command"
	stage pool unit-gcc 115 "$(unit 32 CC=gcc)"
	stage pool lint 110 'PROBE_PHYS_LINT_PART=3 make -s -k lint'
	# Examples with known answers, some of them "undecided", of one seed.
	stage pool policy 55 'PROBE_PHYS_SEED=1 PROBE_PHYS_TOOL_PART=6 make -s -k check-policy check-compare check-without'
	stage pool sim 40 'PROBE_PHYS_SEED=1 PROBE_PHYS_SIM_PART=8 make -s check-sim'
	stage pool fuzz 45 "make -s fuzz FUZZ_SECONDS=${FUZZ_SECONDS:-15}"
	# shellcheck disable=SC2016 # of the other shell
	stage pool tuning 30 'make -s tool && tests/sim/tuning.sh --quick; status=$?
		echo "tuning: 36 left out (machines of check-full)"; exit $status'
	stage pool docs 30 'make -s check-docs'
	stage alone tool 60 'PROBE_PHYS_TOOL_RUNS=1 make -s check-tool'
	stage alone silicon 60 "SILICON_RUNS=${SILICON_RUNS:-5} make -s check-silicon"
}

stages_of_all() {
	local seeds=${PROBE_PHYS_SEEDS:-20}

	unset PROBE_PHYS_SEEDS
	export PROBE_PHYS_PART=${PROBE_PHYS_PART:-1}
	export PROBE_PHYS_TOOL_RUNS=20 PROBE_PHYS_AMP_RUNS=200
	export PROBE_PHYS_COOPER_RUNS=40
	export LAB_PROFILES=${LAB_PROFILES:-all}
	export LAB_DECIDE_BY=${LAB_DECIDE_BY:-both}
	common_stages
	stage pool unit-gcc 0 "PROBE_PHYS_SEEDS=$seeds $(unit 1 CC=gcc)"
	stage pool unit-clang 0 "$(unit 1 CC=clang)"
	stage pool unit-sanitize 0 "PROBE_PHYS_SEEDS=$seeds $(unit 1 CC=clang SANITIZE=1)"
	stage pool unit-sanitize-gcc 0 "$(unit 1 CC=gcc SANITIZE=1)"
	stage pool fuzz 0 "make -s fuzz FUZZ_SECONDS=${FUZZ_SECONDS:-600}"
	stage pool lint 0 'make -s -k lint'
	stage pool docs 0 'DOCS_LONG=1 make -s check-docs'
	stage pool policy 0 'PROBE_PHYS_SEED=1 make -s -k check-policy check-compare check-without'
	stage pool sim 0 "PROBE_PHYS_SEED=1 PROBE_PHYS_SEEDS=$seeds make -s check-sim"
	stage pool sim-noisy 0 "PROBE_PHYS_SEEDS=$seeds PROBE_PHYS_CONDITION=noisy tests/sim/run.sh"
	# A guest spends a minute of its own clock on a parameter that it leaves
	# undecided.
	stage pool sim-virtual 0 "PROBE_PHYS_SEEDS=$seeds PROBE_PHYS_CONDITION=virtual PROBE_PHYS_SIM_LIMIT=900 tests/sim/run.sh tests/machines/modern-*.json"
	stage pool sim-virtual-4k 0 "PROBE_PHYS_SEEDS=$seeds PROBE_PHYS_CONDITION=virtual-4k PROBE_PHYS_SIM_LIMIT=900 tests/sim/run.sh tests/machines/modern-*.json"
	# Each machine takes some times as long as usual, the largest some minutes.
	# shellcheck disable=SC2016 # of the other shell
	stage pool sim-sanitize 0 'make -s -f user.mk CC=gcc SANITIZE=1 build/gcc-sanitize/probe-phys &&
		PROBE_PHYS_TOOL=$PWD/build/gcc-sanitize/probe-phys PROBE_PHYS_SIM_LIMIT=3600 \
		tests/sim/run.sh tests/machines/*.json tests/machines/long/*.json'
	stage pool tuning 0 'make -s check-tuning'
	stage pool sim-random 0 'tests/sim/random.sh'
	stage pool sim-amp 0 'tests/sim/amp.sh'
	# Each run kills 200 times at moments that its seed chooses.
	stage pool vm 0 'make -s check-vm'
	for kill in 1 2 3 4 5; do
		stage pool "vm-seed-$kill" 0 "PROBE_PHYS_VM_SEED=$kill make -s check-vm"
	done
	stage pool lab 0 'make -s check-lab'
	stage alone tool 0 'make -s check-tool'
	stage alone silicon 0 'make -s check-silicon'
}

# --- running and counting --------------------------------------------------

# Leaves NAME.log and NAME.end: status, seconds, user and system CPU seconds.
run() {	# name
	local TIMEFORMAT='%R %U %S' rc

	exec 3>"$logs/$1.time"
	{
		time bash -c "${command_of[$1]}" >"$logs/$1.log" 2>&1 </dev/null
		rc=$?
	} 2>&3
	echo "$rc $(cat "$logs/$1.time")" >"$logs/$1.new"
	mv "$logs/$1.new" "$logs/$1.end"
}

# The counting lines of a log, added up: passed, failed, skipped, left out.
counts() {	# log
	awk '
		{ sub(/^[a-z0-9.-]+: /, "") }
		/^[0-9]+ passed, [0-9]+ failed/ {
			p += $1; f += $3
			if ($6 ~ /^skipped/) s += $5
		}
		/^[0-9]+ left out/ { l += $1 }
		END { print p + 0, f + 0, s + 0, l + 0 }' "$1"
}

passed=0 failed=0 skipped=0 left=0

# Adds up a stage that has ended; prints its log if it failed, else the counts.
ended() {	# name
	local p f s l rc real user system cpu was mark=''

	read -r rc real user system <"$logs/$1.end"
	read -r p f s l < <(counts "$logs/$1.log")
	# A stage may fail without counting it: a build, a crash.
	[ "$rc" = 0 ] || [ "$f" != 0 ] || f=1
	[ "$rc" != 0 ] || [ "$p" != 0 ] || p=1
	passed=$((passed + p)) failed=$((failed + f))
	skipped=$((skipped + s)) left=$((left + l))
	cpu=$(awk "BEGIN { printf \"%.0f\", $user + $system }")
	was=$(awk -v name="$1" '$1 == name { print $2 " s, " $3 " CPU" }' \
		"$logs/seconds.last")
	[ "${budget_of[$1]}" = 0 ] || [ "$cpu" -le "${budget_of[$1]}" ] ||
		mark=" over its budget of ${budget_of[$1]}"
	printf '%s %.0f %d\n' "$1" "$real" "$cpu" >>"$logs/seconds.new"
	printf '%-18s %6d %6d %7d %8d %7.0f %7d  %s%s\n' "$1" "$p" "$f" "$s" \
		"$l" "$real" "$cpu" "${was:--}" "$mark" >>"$logs/table"
	echo "== $1 ($(printf %.0f "$real") s)"
	if [ "$f" = 0 ]; then
		grep -E '^[a-z0-9.-]+: |# SKIP|^SKIP' "$logs/$1.log"
	else
		cat "$logs/$1.log"
	fi
}

# Reports the stages that have ended since the last time.
report() {
	local name

	for name in "${started[@]}"; do
		if [ -e "$logs/$name.end" ] && [ -z "${reported[$name]:-}" ]; then
			reported[$name]=yes
			ended "$name"
		fi
	done
}

# Waits until fewer than $1 stages run. Other jobs may end meanwhile.
wait_for_room() {
	while [ $((${#started[@]} - ${#reported[@]})) -ge "$1" ]; do
		wait -n
		# No job is left: a stage was killed before it could say so.
		[ $? != 127 ] || end_killed
		report
	done
}

end_killed() {
	local name

	for name in "${started[@]}"; do
		[ -e "$logs/$name.end" ] || echo "1 0 0 0" >"$logs/$name.end"
	done
}

end_jobs() {
	local job

	for job in $(jobs -p); do
		kill -- "-$job" 2>/dev/null
	done
}

# All stages of one kind, some at a time.
run_all() {	# first|pool|alone number
	local name

	for name in "${names[@]}"; do
		[ "${where_of[$name]}" = "$1" ] || continue
		wait_for_room "$2"
		: >"$logs/$name.log"
		run "$name" &
		started+=("$name")
	done
	wait_for_room 1
}

# --- all of it -------------------------------------------------------------

# Random machines are new each day: the machines of one seed would be a table that
# has passed already. A machine that shows a fault becomes a regression case of its
# suite; PROBE_PHYS_SEED=N repeats that day.
PROBE_PHYS_SEED=${PROBE_PHYS_SEED:-$(date +%Y%m%d)}
PROBE_PHYS_TURN=${PROBE_PHYS_TURN:-$((10#$(date +%j)))}
# Machines of known answers, whose noise is of one seed unless many are wanted.
LAB_SEED=${LAB_SEED:-1}
PROBE_PHYS_VM_SEED=${PROBE_PHYS_VM_SEED:-$PROBE_PHYS_SEED}
export PROBE_PHYS_SEED PROBE_PHYS_TURN LAB_SEED PROBE_PHYS_VM_SEED
# One process for each stage of the pool.
export UNIT_JOBS=1 SIM_JOBS=1 TIDY_JOBS=1 LAB_JOBS=1 PROBE_PHYS_VM_JOBS=1

if [ "$full" = yes ]; then
	stages_of_all
else
	stages_of_a_day
fi
if [ "$list" = yes ]; then
	printf '%s\n' "${names[@]}"
	exit 0
fi
[ ${#names[@]} -gt 0 ] || {
	echo "check: no such stage: ${wanted[*]} (see --list)" >&2
	exit 2
}

mkdir -p "$logs"
touch "$logs/seconds"
cp "$logs/seconds" "$logs/seconds.last"
rm -f "$logs"/*.end "$logs/seconds.new"
printf '%-18s %6s %6s %7s %8s %7s %7s  %s\n' stage passed failed skipped \
	'left out' s 's CPU' 'last run' >"$logs/table"
started=()
declare -A reported=()
# Each stage has a process group, so that none of its processes is left over.
set -m
trap end_jobs EXIT
echo "PROBE_PHYS_SEED=$PROBE_PHYS_SEED PROBE_PHYS_TURN=$PROBE_PHYS_TURN"
[ -z "${LAB_PROFILES:-}" ] ||
	echo "LAB_PROFILES=\"$LAB_PROFILES\" LAB_AMP=${LAB_AMP:-all} LAB_DECIDE_BY=$LAB_DECIDE_BY"

# Kernels are fetched meanwhile. A stage that needs one waits for it, and prints why
# if it could not be fetched.
# shellcheck disable=SC2086 # words
scripts/kernels.sh 6.1-amd64 6.12-amd64 $arm64 checkpatch qemu \
	>"$logs/kernels.log" 2>&1 &
run_all first 1
run_all pool 2
run_all alone 1

# A stage that was not run this time keeps its seconds.
awk 'FILENAME == ARGV[1] { seen[$1] = 1 }
	FILENAME == ARGV[1] || !($1 in seen)' \
	"$logs/seconds.new" "$logs/seconds.last" >"$logs/seconds"
echo
cat "$logs/table"
echo "$SECONDS s in all"
echo
echo "$left left out (parts of other days)"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
