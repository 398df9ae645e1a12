#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - build/probe-phys as a user types it, on this computer.
#
# Its results are compared with the kernel's documentation of the caches: equal or
# undecided with a reason, never another number.
#
# Environment:
#	PROBE_PHYS_TOOL_RUNS=N	whole measurements, quiet and under load each
#				(default 3)
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
tool=$PWD/build/probe-phys
runs=${PROBE_PHYS_TOOL_RUNS:-3}
work=$(mktemp -d)
load=
trap '[ -z "$load" ] || kill "$load" 2>/dev/null; rm -rf "$work"' EXIT

passed=0
failed=0
skipped=0

pass() {
	passed=$((passed + 1))
}

flunk() {
	echo "not ok: $1"
	[ ! -s "$work/err" ] || sed 's/^/    stderr: /' "$work/err" | head -n 3
	failed=$((failed + 1))
}

# In CI a skip is a failure, unless the kernel or CPU lacks the feature.
skip() {
	echo "SKIP $1: $2"
	case ${CI:-}:$2 in
	true:"kernel cannot"* | true:"cpu cannot"*) skipped=$((skipped + 1)) ;;
	true:*) flunk "$1 skipped: $2" ;;
	*) skipped=$((skipped + 1)) ;;
	esac
}

# expect NAME STATUS ARGUMENT...: the exit status, and the rules of output.
expect() {
	local name=$1 status=$2 got

	shift 2
	"$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	if [ "$got" != "$status" ]; then
		flunk "$name: exit status $got instead of $status"
	elif grep -q $'\r' "$work/err"; then
		flunk "$name: progress although stderr is no terminal"
	else
		pass
	fi
}

# says NAME PATTERN: the last command's stderr is one line that matches.
says() {
	if ! grep -qE "$2" "$work/err"; then
		flunk "$1: stderr lacks '$2'"
	elif [ "$(grep -c '^probe-phys: ' "$work/err")" != 1 ]; then
		flunk "$1: more or less than one message"
	else
		pass
	fi
}

# Output that cannot be written.
full_disk() {	# ARGUMENT...
	"$tool" "$@" >/dev/full 2>"$work/err" </dev/null
	if [ $? = 1 ]; then
		pass
	else
		flunk "full disk: $*: the exit status is not 1"
	fi
	says "full disk: $*" '^probe-phys: output: .*\(is the disk full\?\)$'
}

json() {	# name filter: jq -e on the last output
	if jq -e "$2" "$work/out" >/dev/null 2>"$work/err"; then
		pass
	else
		flunk "$1: not true: $2"
	fi
}

options() {
	expect "--help" 0 --help
	expect "--version" 0 --version
	grep -q '^probe-phys [0-9]' "$work/out" || flunk "--version: no version"
	expect "unknown option" 2 --bogus
	expect "unknown command" 2 bogus
	says "unknown command" "command: 'bogus'"
	expect "unknown machine" 2 --machine abacus
	expect "CPU is no number" 2 --cpu 1x
	expect "negative CPU" 2 --cpu -1
	expect "seed too large" 2 --seed 9223372036854775808
	expect "unknown decider" 2 --decide-by dice
	says "unknown decider" "'dice'"
	expect "time limit without a number" 2 --time-limit 1m
	says "time limit without a number" "'1m' is no number of seconds \(.*\)"
	expect "time limit of more than a day" 2 --time-limit 86401
	expect "time limit" 0 --json --only caches --time-limit 1 --seed 1 \
		--machine sim:tests/machines/modern-zen2-3700x.json
	json "time limit" '.conditions.complete and
		.conditions.time_limit_seconds == 1 and
		.caches[0].ways.value == 8 and ([.caches[1] | .. | objects |
			.reason? // empty | contains("--time-limit")] | any)'
	expect "no time limit" 0 --json --only l1 --time-limit 0 \
		--machine sim:tests/machines/xray-pentium3.json
	json "no time limit" '.conditions.time_limit_seconds == null and
		.caches[0].ways.value == 4'
}

prefetchers() {
	expect "unknown state of prefetchers" 2 --prefetchers half
	says "unknown state of prefetchers" "'half'"
	expect "prefetchers with a switch" 0 --json --only l1 \
		--machine sim:tests/machines/adv-prefetchers-switchable.json
	json "prefetchers with a switch" '.machine.prefetchers ==
		{off: ["adjacent line", "stream", "next line", "stride"],
		 reason: null}'
	expect "prefetchers left on" 0 --json --prefetchers on \
		--machine sim:tests/machines/adv-prefetchers-switchable.json
	json "prefetchers left on" '.machine.prefetchers.off == [] and
		[.caches[] | select(.type == "data") |
			.line_bytes.value, .ways.value] ==
		[64, 8, 64, 8, 64, 16]'
	expect "prefetchers without a switch" 0 --json --only l1 \
		--machine sim:tests/machines/adv-stream-fixed.json
	json "prefetchers without a switch" '.machine.prefetchers ==
		{off: [], reason: "there is no switch"}'
}

parts() {
	expect "unknown part" 2 --only l1,dice
	says "unknown part" "'dice'"
	expect "only registers" 0 --json --only registers \
		--machine sim:tests/machines/xray-pentium3.json
	json "only registers" '.conditions.complete and .caches == [] and
		.tlbs == [] and .registers.double.value == 8'
	expect "only L1" 0 --json --only l1 \
		--machine sim:tests/machines/xray-pentium3.json
	json "only L1" '[.caches[] | .level, .type] ==
		[1, "data", 1, "instruction"] and .tlbs == [] and
		.caches[0].ways.value == 4 and .registers == {}'
	expect "no counters" 3 --decide-by counters \
		--machine sim:tests/machines/adv-no-counters.json
	says "no counters" '^probe-phys: counters: .*\(use --decide-by time\)$'
}

methods() {
	expect "unknown method" 2 --method xray,dice
	says "unknown method" "'dice'.*xray, amp"
	expect "unknown decision" 2 --decision dice
	says "unknown decision" "'dice'"
	expect "AMP alone without counters" 3 --json --method amp --only l1 \
		--machine sim:tests/machines/adv-no-counters.json
	says "AMP alone without counters" '^probe-phys: amp: no miss counter'
	json "AMP alone without counters" '.error.exit_status == 3 and
		.amp.caches[0].ways.status == "unavailable" and
		(.amp.caches[0].ways.reason | startswith("N/C: "))'
	expect "AMP beside X-Ray without counters" 0 --json --only l1 \
		--method xray,amp \
		--machine sim:tests/machines/adv-no-counters.json
	json "AMP beside X-Ray without counters" '
		.caches[0].ways.method == "x-ray" and
		.amp.caches[0].ways.status == "unavailable"'
	expect "AMP by votes" 0 --json --only l1 --method amp --decision amp \
		--machine sim:tests/machines/amp-p5-133.json
	json "AMP by votes" '.amp.decision == "amp" and
		.caches[0].ways.value == 2 and
		.amp.caches[0].ways.votes == [2, 2, 2, 2, 2, 2, 2, 2]'
	expect "AMP agrees with X-Ray" 0 --json --only l1 --method xray,amp \
		--machine sim:tests/machines/amp-p5-133.json
	json "AMP agrees with X-Ray" '.amp.disagreements == [] and
		.amp.caches[0].capacity_bytes.value ==
			.caches[0].capacity_bytes.value'
}

output() {
	expect "surplus argument" 2 measure surplus
	expect "CPU that is not there" 1 --machine hugepage --cpu 1048575
	says "CPU that is not there" '\(.*--cpu\)'
	expect "json error" 1 --json --machine hugepage --cpu 1048575
	json "json error" '.schema == 1 and .error.exit_status == 1'
	expect "info" 0 info
	expect "info --json" 0 info --json
	json "info --json" '.schema == 1'
	full_disk info
	full_disk profile check tests/machines/adv-one-level.json
	full_disk --only l1 --machine sim:tests/machines/adv-one-level.json
	full_disk --only l1 --json \
		--machine sim:tests/machines/adv-one-level.json
}

counters() {
	local lying=sim:tests/machines/adv-lying-counters.json

	if [ -e /dev/probe_phys ]; then
		skip "no counters" "cpu cannot be without them: the module is loaded"
	else
		expect "no counters on this computer" 3 counters
		says "no counters on this computer" \
			'^probe-phys: counters: .*\(.*\)$'
		expect "no counters, JSON" 3 --json counters
		json "no counters, JSON" '.error.exit_status == 3'
	fi
	expect "counters of a profile" 0 \
		--machine sim:tests/machines/modern-nehalem-i7-920.json counters
	grep -q '^l1d_write_miss  N/C$' "$work/out" ||
		flunk "counters of a profile: a missing one is not N/C"
	expect "counters of a profile without" 3 \
		--machine sim:tests/machines/adv-no-counters.json counters
	expect "lying counters" 0 --machine $lying counters --json
	# shellcheck disable=SC2016 # jq's variables
	json "lying counters" '[.counters[] | select(.status == "rejected") |
		.role] == ["l1d_miss", "l2_miss", "dtlb_miss", "l1i_miss",
		"l2_write_miss"] and ([.counters[] |
		select(.status == "rejected").reason | length > 0] | all)'
	json "substitute of a lying counter" '[.counters[] |
		select(.substitute) | .role, .substitute] ==
		["l1d_miss", "l1d_write_miss"]'
	json "overhead of a counter" '[.counters[] | select(.overhead > 0) |
		.role, .overhead, .status] == ["l3_miss", 7, "believed"]'
	expect "busy counter" 0 --json \
		--machine sim:tests/machines/adv-dead-counter.json counters
	json "busy counter" '[.counters[] | select(.not_running > 0) |
		.role, .status] == ["l3_miss", "rejected"]'
	expect "unknown role" 2 counters --event wool=msr/tsc/
	grep -q "'wool=msr/tsc/' is not ROLE=NAME" "$work/err" ||
		flunk "unknown role: the message does not name it"
	expect "event that is none" 3 counters --event l1d_miss=msr/wool/
	says "event that is none" "event 'msr/wool/'"
	expect "event of a simulated machine" 2 --machine $lying counters \
		--event l1d_miss=msr/tsc/
}

without_module() {
	[ ! -e /dev/probe_phys ] || return 0
	expect "no module" 3 --machine module
	says "no module" 'insmod probe_phys.ko'
	expect "buffers, no module" 3 buffers
	expect "monitor, no module" 3 monitor
}

# The L1 that data accesses see, as sysfs documents it.
documented() {	# file
	cat /sys/devices/system/cpu/cpu0/cache/index0/"$1" 2>/dev/null
}

# One measurement: L1 as documented (the CPU's own documents are right about
# L1) or undecided, lower levels right or undecided. Other users of this computer may
# use its caches all the time.
measure() {	# name
	expect "$1" 0 --machine hugepage --json --time-limit 10
	json "$1" '.schema == 1 and .machine.kind == "hugepage" and
		.conditions.complete and (.caches | length) >= 1'
	# shellcheck disable=SC2016 # jq's variables
	json "$1: L1 right or undecided" '
		(.documented.caches | map(select(.level == 1 and
			.type == "data"))[0]) as $d | .caches[0] |
		all(("ways", "capacity_bytes", "line_bytes", "sets") as $k |
			.[$k].status == "undecided" or .[$k].value == $d[$k];
			.)'
	# shellcheck disable=SC2016 # jq's variables
	json "$1: lower levels right or undecided" '
		.documented.caches as $all | all(.caches[1:][]; . as $c |
		($all | map(select(.level == $c.level and
			(.type == "instruction") ==
			($c.type == "instruction")))[0]) as $d |
		$c.ways.value == null or $c.ways.value == $d.ways)'
	json "$1: reasons" '[.. | objects | select(.status? == "undecided") |
		(.reason | length) > 0 and .value == null] | all'
}

# L1 is usually decided: in more than half of $runs measurements, or of twice as many,
# since another guest on the core's second thread cannot be seen from here.
measure_often() {	# name
	local done=0 decided=0

	while [ $done -lt "$runs" ] || { [ $((2 * decided)) -le "$runs" ] &&
		[ $done -lt $((2 * runs)) ]; }; do
		done=$((done + 1))
		measure "$1 $done"
		! jq -e '.caches[0] | .ways.value != null and
			.capacity_bytes.value != null and
			.line_bytes.value != null' "$work/out" >/dev/null ||
			decided=$((decided + 1))
	done
	echo "$1: L1 decided in $decided of $done"
	if [ $((2 * decided)) -gt "$runs" ]; then
		pass
	else
		flunk "$1: L1 decided in $decided of $done"
	fi
}

measurements() {
	"$tool" --machine hugepage --json >"$work/out" 2>"$work/err" </dev/null
	if [ $? = 3 ]; then
		skip "measurements" "kernel cannot: $(cut -c13- "$work/err")"
		return
	fi
	if [ -z "$(documented ways_of_associativity)" ]; then
		skip "measurements" "cpu cannot be compared: sysfs lists no caches"
		return
	fi
	measure_often "quiet run"
	[ "$(nproc)" -gt 1 ] || return 0
	taskset -c 0 stress-ng --quiet --cache 1 --vm 1 --vm-bytes 128M \
		--timeout 1800 >/dev/null 2>&1 &
	load=$!
	measure_often "run with the other CPU busy"
	kill "$load"
	wait "$load" 2>/dev/null
	load=
}

# An interrupted run reports the finished part, and its exit status is 1.
interruption() {
	local got

	# Without --foreground the tool gets the signal twice, and the second one kills.
	timeout --foreground --preserve-status --signal=INT --kill-after=20 \
		0.3 "$tool" --machine hugepage --json >"$work/out" \
		2>"$work/err" </dev/null
	got=$?
	case $got in
	0) json "too quick to be interrupted" '.conditions.complete' ;;
	1) json "interrupted" '.conditions.complete == false and
		.schema == 1 and (.caches | type) == "array"' ;;
	3) ;;
	*) flunk "interrupted: exit status $got" ;;
	esac
}

options
prefetchers
parts
methods
output
counters
without_module
measurements
interruption
echo "tool: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
