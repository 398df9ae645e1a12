#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# same.sh - hold what the lab has found of a profile against the sim machine.
#
#	tests/lab/same.sh PROFILE.json SEED BY FOLDER
#
# FOLDER has the lab's answer, found.json; sim.json and, where the profile has
# conditions that the lab has not, alike.json join it. Prints the lines of
# same.jq; status 1 when one is DIFFERENT, 3 when some are UNEVEN at most, 2 when
# there is nothing to compare.
set -uo pipefail

here=$(dirname "$0")
tool=$here/../../build/probe-phys
profile=$1 seed=$2 by=$3 dir=$4

simulate() {	# profile answer
	timeout "${LAB_TIMEOUT:-300}" "$tool" --machine "sim:$1" --json \
		--seed "$seed" --decide-by "$by" > "$2"
}

# Without a counter nothing is decided by counters; sim has to agree.
if grep -q '^# status 3$' "$dir/text"; then
	simulate "$profile" "$dir/sim.json"
	[ $? = 3 ] || {
		echo "DIFFERENT: sim can be measured by $by, the lab cannot"
		exit 1
	}
	echo "open: neither can be measured by $by"
	exit 0
fi
jq -e .caches "$dir/found.json" > /dev/null 2>&1 || {
	echo "no answer of the lab to compare with"
	exit 2
}
rm -f "$dir/alike.json" "$dir/alike-profile.json"
simulate "$profile" "$dir/sim.json" || exit 2
jq -f "$here/conditions.jq" "$profile" > "$dir/conditions" || exit 2

compare() {	# answer under the lab's conditions
	jq -r -n --slurpfile sim "$dir/sim.json" \
		--slurpfile lab "$dir/found.json" --slurpfile alike "$1" \
		--arg conditions "$(jq -r '.changed | join(", ")' "$dir/conditions")" \
		-f "$here/same.jq" > "$dir/same" || exit 2
	[ -s "$dir/same" ] || exit 2
}

compare /dev/null
if grep -qE '^(DIFFERENT|UNEVEN)' "$dir/same" &&
   jq -e '.changed != []' "$dir/conditions" > /dev/null; then
	jq .profile "$dir/conditions" > "$dir/alike-profile.json"
	simulate "$dir/alike-profile.json" "$dir/alike.json" || exit 2
	compare "$dir/alike.json"
fi
cat "$dir/same"
! grep -q '^DIFFERENT' "$dir/same" || exit 1
! grep -q '^UNEVEN' "$dir/same" || exit 3
