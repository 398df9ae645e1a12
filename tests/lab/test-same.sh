#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# test-same.sh - the comparison of lab and sim must be able to fail: answers
# that were tampered with must be found DIFFERENT, others not. Prints TAP.
#
#	tests/lab/test-same.sh FOLDER
#
# Excuses are tried on an answer that lacks the last level.
set -uo pipefail

here=$(dirname "$0")
dir=$1
profile=$here/../machines/adv-hashed-l2.json
tests=0

mkdir -p "$dir"

# Lines that begin with $1 when the lab's answer is $2 after filter $3.
lines() {
	jq "$3" "$2" > "$dir/mutant.json"
	jq -r -n --slurpfile sim "$dir/sim.json" \
		--slurpfile lab "$dir/mutant.json" \
		--slurpfile alike "${alike:-/dev/null}" \
		--arg conditions "pages" -f "$here/same.jq" |
		grep -c "^$1"
}

expect() {	# lines of what in answer filter
	local got

	got=$(lines "$2" "$dir/$3" "$4")
	tests=$((tests + 1))
	printf '%s %d - %s%s: %s: %d lines %s, expected %d\n' \
		"$([ "$got" = "$1" ] && echo ok || echo 'not ok')" "$tests" \
		"$3" "${alike:+ with an excuse}" "$4" "$got" "$2" "$1"
}

simulate() {	# profile answer
	build/probe-phys --machine "sim:$1" --json --seed 1 > "$2" && return
	echo "not ok 1 - no answer to tamper with: $1"
	exit 1
}

simulate "$profile" "$dir/found.json"
# A last level of which nothing is known is no answer; one with a latency is.
jq '.caches[2] |= map_values(if type == "object" and has("value")
	then .value = null | .status = "undecided" else . end)' \
	"$dir/found.json" > "$dir/nothing.json"
cp "$dir/nothing.json" "$dir/sim.json"
expect 0 DIFFERENT sim.json 'del(.caches[2])'
jq '.caches[2].latency_cycles |= (.value = 40 | .status = "measured")' \
	"$dir/nothing.json" > "$dir/sim.json"
jq 'del(.caches[2])' "$dir/sim.json" > "$dir/alike.json"

expect 0 DIFFERENT sim.json .
expect 0 DIFFERENT sim.json '.caches[0].latency_ns.value = 1'
expect 0 DIFFERENT sim.json '.caches[0].latency_cycles.value += 0.69'
expect 1 DIFFERENT sim.json '.caches[0].latency_cycles.value += 0.71'
expect 1 DIFFERENT sim.json '.caches[0].latency_cycles.value -= 0.69'
expect 1 DIFFERENT sim.json '.memory.latency_cycles.value *= 1.1'
expect 1 DIFFERENT sim.json '.caches[0].ways.value += 1'
expect 1 DIFFERENT sim.json '.caches[0].index.value = "hashed"'
expect 1 UNEVEN sim.json '.caches[0].sets |= (.value = null | .status = "undecided")'
expect 1 UNEVEN alike.json '.caches[0].sets |= (.value = null | .status = "undecided")'
expect 0 UNEVEN sim.json 'del(.caches[0].line_bytes)'
expect 1 DIFFERENT sim.json 'del(.caches[0].line_bytes)'
expect 1 DIFFERENT sim.json '.caches[1].effective_ways |= (.value = 9 | .status = "measured")'
expect 1 DIFFERENT sim.json '.caches[1].inclusion |= (.value = "inclusive" | .status = "measured")'
expect 1 unlike sim.json '.caches[1].inclusion |= (.value = null | .status = "undecided")'
expect 1 DIFFERENT sim.json '.tlbs[0].entries.value += 1'
expect 1 DIFFERENT sim.json '.tlbs[0].miss_cycles.value *= 1.2'
expect 0 DIFFERENT sim.json '.tlbs[0].miss_cycles.value += 0.3'
expect 0 DIFFERENT sim.json 'del(.tlbs[0])'
expect 10 unlike sim.json 'del(.tlbs[0])'
expect 1 unlike sim.json '.tlbs[0].ways |= (.value = null | .status = "undecided")'
expect 0 DIFFERENT sim.json '.registers.int.value += 1 | .cpu.frequency_hz.value += 1'
expect 9 DIFFERENT sim.json 'del(.caches[2])'
open='.caches[2].latency_cycles |= (.value = null | .status = "undecided")'
expect 0 DIFFERENT sim.json "$open"
expect 1 UNEVEN sim.json "$open"
expect 9 DIFFERENT alike.json .
alike=$dir/alike.json
expect 0 DIFFERENT alike.json .
expect 14 excused alike.json .
expect 1 DIFFERENT alike.json '.caches[0].ways.value += 1'
expect 1 DIFFERENT alike.json '.caches[1].ways.value = 16'
expect 9 DIFFERENT alike.json 'del(.caches[1])'
expect 1 DIFFERENT sim.json 'del(.caches[2].ways)'
# An excuse does not cover a wrong number.
jq '.caches[0].ways.value += 1' "$dir/alike.json" > "$dir/wrong.json"
alike=$dir/wrong.json
expect 1 DIFFERENT wrong.json .
echo "1..$tests"
