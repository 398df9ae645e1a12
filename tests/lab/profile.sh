# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# profile.sh - one profile measured in the lab and in sim, and the verdict on
# the answers; read by run.sh, whose variables and functions it uses.
# shellcheck disable=SC2154 # of run.sh

# The profile in the lab, then in sim.
measure_once() {	# profile name by seed
	local dir=$out/$2

	boot "$1" "$2" measure "$3" "$4"
	hear "$dir"
	sed -n '/^# json/,/^# end json/{/^#/d;p}' "$dir/text" > "$dir/found.json"
	"$here/same.sh" "$1" "$4" "$3" "$dir" > "$dir/compared" 2>&1
	echo $? > "$dir/differs"
}

measure() {	# profile name by
	rm -rf "$out/${2:?}" "$out/${2:?}-first"
	measure_once "$1" "$2" "$3" "$seed"
	[ "$(cat "$out/$2/differs")" = 3 ] || return 0
	mv "$out/$2" "$out/$2-first"
	measure_once "$1" "$2" "$3" $((seed + 1))
}

hint() {	# profile by
	echo "--- again: LAB_SEED=$seed LAB_SERIES=$series LAB_DECIDE_BY=$2 tests/lab/run.sh $1"
}

report_same() {	# profile name by
	local dir=$out/$2 differs

	differs=$(cat "$dir/differs")
	printf '%s %s: as in sim: %d the same, %d undecided in both, %d excused, %d unlike, %d different\n' \
		"$([ "$differs" = 0 ] && echo ok || echo 'not ok')" "$2" \
		"$(grep -c '^same' "$dir/compared")" \
		"$(grep -c '^open' "$dir/compared")" \
		"$(grep -c '^excused' "$dir/compared")" \
		"$(grep -c '^unlike' "$dir/compared")" \
		"$(grep -cE '^(DIFFERENT|UNEVEN)' "$dir/compared")"
	grep -E '^(excused|unlike|DIFFERENT|UNEVEN)' "$dir/compared" |
		sed 's/^/    /'
	if [ "$differs" = 0 ]; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	[ "$differs" = 1 ] || cat "$dir/compared"
	hint "$1" "$3"
}

# The clock is LAB_CYCLE_PS, not the profile's: every latency in cycles hangs on
# how well the tool has found it.
judge_clock() {	# folder
	jq -r --argjson hz $((1000000000000 / cycle_ps)) '.cpu.frequency_hz |
		if .status != "measured" then "undecided frequency_hz \(.reason)"
		elif .value / $hz - 1 | fabs < 0.01 then "right frequency_hz"
		else "WRONG frequency_hz \(.value) instead of \($hz)" end' \
		"$1/found.json"
}

# The emulated processor has the switch: off while measured, on afterwards.
judge_prefetchers() {	# folder
	local off after

	off=$(jq -r '.machine.prefetchers.off | length' "$1/found.json")
	after=$(grep '^# prefetchers' "$1/text")
	if [ "$off" -gt 0 ] && [[ $after == *" on"* && $after != *" off"* ]]; then
		echo "right prefetchers"
	else
		echo "WRONG prefetchers: $off were off, afterwards: $after"
	fi
}

# A tool that fails prints what it has found by then all the same.
judge_status() {	# folder
	grep -q '^# status 0$' "$1/text" ||
		echo "WRONG: the tool failed: $(tail -n 1 "$1/said")"
}

# Not of registers: TCG keeps the guest's in the host's, whatever the profile
# has. Nor of CPUs that share a level: the caches of one are modelled.
judge() {	# profile folder
	if grep -q '^# status 3$' "$2/text"; then
		sed 's/^/undecided all /' "$2/said" > "$2/answers"
		return
	fi
	grep -q '^# end json' "$2/text" &&
		jq 'del(.registers, .cpu, .caches[].shared_cpus)' \
			"$2/found.json" 2> "$2/jq" |
		jq -r --slurpfile profile "$1" -f tests/sim/judge.jq \
			> "$2/answers" 2>> "$2/jq" && [ -s "$2/answers" ] &&
		judge_clock "$2" >> "$2/answers" 2>> "$2/jq" &&
		judge_prefetchers "$2" >> "$2/answers" 2>> "$2/jq" &&
		judge_status "$2" >> "$2/answers" && return
	no_answers "$2" status > "$2/answers"
}

report_profile() {	# profile name by
	local dir=$out/$2 wrong

	judge "$1" "$dir"
	wrong=$(grep -c '^WRONG' "$dir/answers")
	printf '%s %s: %d right, %d undecided, %d unmeasured, %d wrong (%d s)\n' \
		"$([ "$wrong" = 0 ] && echo ok || echo 'not ok')" "$2" \
		"$(grep -c '^right' "$dir/answers")" \
		"$(grep -c '^undecided' "$dir/answers")" \
		"$(grep -c '^unmeasured' "$dir/answers")" "$wrong" \
		"$(cat "$dir/seconds")"
	if [ "$wrong" = 0 ]; then
		passed=$((passed + 1))
		[ -z "${V:-}" ] || sed 's/^/    /' "$dir/answers"
		return
	fi
	failed=$((failed + 1))
	echo "--- $1, answers:"
	cat "$dir/answers"
	again "$2"
	hint "$1" "$3"
}
