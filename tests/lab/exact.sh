# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# exact.sh - what is expected of the machine with counts that are known exactly;
# read by run.sh, whose variables and functions it uses.

# Is the filter true of a document that the guest printed between two lines? To jq
# alone it is true of an empty one.
is_true() {	# folder word filter
	sed -n "/^# $2 json/,/^# end json/{/^#/d;p}" "$1/text" > "$1/$2.json"
	[ -s "$1/$2.json" ] &&
		jq -e "$3" "$1/$2.json" > /dev/null 2> "$1/jq"
}

judge_counters() {	# folder word filter
	if is_true "$1" "$2" "$3"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "not ok exact: counters, $2: not true: $3"
	jq -c '.counters[] | [.role, .status, .event, .reason]' "$1/$2.json"
	cat "$1/jq"
}

# The same of a measurement, and of its exit status.
judge_amp() {	# folder word status filter
	if is_true "$1" "$2" "$4" && grep -q "^# $2 status $3$" "$1/text"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "not ok exact: $2: $(grep "^# $2 status" "$1/text"), not true: $4"
	jq -c '.error, .amp.caches[], .amp.tlbs[] | objects |
		map_values(.value? // .reason? // .)' "$1/$2.json"
	cat "$1/jq"
}

# The self-test of counters, through the real module: those of the machine are
# right, that of a missing level is dead; beside a process that holds all
# counters none ran, and none is believed.
report_selftest() {	# folder
	judge_counters "$1" honest '[.counters[] |
		select(.status == "believed") | .role] == ["cycles", "loads",
		"l1d_miss", "l2_miss", "dtlb_miss", "l1i_miss", "instructions",
		"l1d_write_miss"] and ([.counters[] |
		select(.status == "rejected") | .role, .not_running] ==
		["l3_miss", 0]) and ([.counters[] | select(.status != "missing")
		| .event == "pp_lab/\(.role)/"] | all)'
	judge_counters "$1" busy '[.counters[] | select(.status == "believed")]
		== [] and ([.counters[] | select(.status == "rejected" and
		.not_running > 0 and .not_running == .samples)] |
		length > 0)'
}

# AMP by these counters: no number of the first level (4 ways, 16 KiB, lines of
# 64 bytes) is wrong, its size and ways are decided, and the rest has a reason.
# Nor is one of the cache of code (8 ways, 32 KiB).
# Beside a process that holds all counters nothing is measured, and each
# parameter gives as reason a counter that did not run all the time.
report_amp() {	# folder
	judge_amp "$1" amp-honest 0 '([.amp.caches[] |
		select(.level == 1 and .type != "instruction") |
		.ways.value == 4 and .capacity_bytes.value == 16384 and
		(.line_bytes.value // 64) == 64 and
		.write_allocate.value != false and .unified.value != true and
		.replacement.value != "random" and
		([.[] | select(type == "object" and .value == null) | .reason
		| length > 0] | all)] == [true]) and
		([.amp.caches[] | select(.type == "instruction") |
		(.ways.value // 8) == 8 and
		(.capacity_bytes.value // 32768) == 32768] == [true])'
	judge_amp "$1" amp-busy 3 '([.amp.caches[], .amp.tlbs[] | .[] |
		select(type == "object") | .value == null and
		.status == "unavailable" and
		(.reason | test("others have the counters|counts itlb_miss here"))] |
		length > 0 and all) and
		([.caches[][] | select(type == "object") | .value == null] |
		all) and
		.error.exit_status == 3'
}

report_exact() {	# name
	local dir=$out/$1 ok bad skip

	hear "$dir"
	grep -E '^not ok|# SKIP' "$dir/text"
	skip=$(grep -c '^ok .*# SKIP' "$dir/text")
	ok=$(($(grep -c '^ok ' "$dir/text") - skip))
	bad=$(grep -c '^not ok ' "$dir/text")
	if ! grep -q '^# complete' "$dir/text" ||
	   [ "$(grep -c '^1\.\.' "$dir/text")" != 2 ]; then
		echo "not ok $1: the guest did not come to its end (qemu: $(cat "$dir/status"))"
		bad=$((bad + 1))
	fi
	# Only an old kernel is excused from anything.
	if [ "$skip" != 0 ] && [ "$series" != 6.1 ]; then
		echo "not ok $1: $skip skipped on $series"
		bad=$((bad + skip)) skip=0
	fi
	report_selftest "$dir"
	report_amp "$dir"
	passed=$((passed + ok)) failed=$((failed + bad))
	skipped=$((skipped + skip))
	if [ "$bad" != 0 ]; then
		again "$1"
		echo "--- again: LAB_PROFILES=none tests/lab/run.sh"
	fi
}
