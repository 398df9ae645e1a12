#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# amp.sh - AMP beside X-Ray on simulated machines.
#
# The methods may not disagree, and each of AMP's answers must be what the
# machine's "expect" says, or be open with a reason. judge.jq compares.
#
#	tests/sim/amp.sh [PROFILE.json...]	default: the five systems of AMP's
#						paper and 30 of today
#
# Environment: PROBE_PHYS_SEED=N (default 1), PROBE_PHYS_SIM_LIMIT=S (600)
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
seed=${PROBE_PHYS_SEED:-1}
limit=${PROBE_PHYS_SIM_LIMIT:-600}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- tests/machines/amp-*.json tests/machines/modern-*.json
right=0 undecided=0 wrong=0

complain() {
	echo "amp: $1 (seed $seed)"
	wrong=$((wrong + 1))
}

# AMP's part of the document, in the place of X-Ray's.
# shellcheck disable=SC2016 # jq's variables
part='.amp as $amp |
	.caches = [$amp.caches[] |
		if .type == "instruction" then . else .type = "data" end] |
	.tlbs = [$amp.tlbs[] | .page_bytes = .mapped_bytes]'

for profile; do
	name=$(basename "$profile" .json)
	timeout "$limit" build/probe-phys --machine "sim:$profile" --json \
		--seed "$seed" --only l1,caches,tlbs --method xray,amp \
		>"$work/out" 2>"$work/err"
	rc=$?
	if [ $rc != 0 ]; then
		complain "$name: exit status $rc: $(head -1 "$work/err")"
		continue
	fi
	jq -r '.amp.disagreements[] | "\(.where) \(.parameter): x-ray \(.["x-ray"]), amp \(.amp)"' \
		"$work/out" >"$work/disagree"
	while read -r line; do
		complain "$name: $line"
	done <"$work/disagree"
	jq "$part" "$work/out" >"$work/part"
	# What AMP does not look at is not asked for.
	jq -r --slurpfile profile "$profile" -f tests/sim/judge.jq \
		"$work/part" | grep -E ' (ways|capacity_bytes|line_bytes|write_allocate|entries) ?' \
		>"$work/cells"
	while read -r kind line; do
		case $kind in
		right) right=$((right + 1)) ;;
		undecided) undecided=$((undecided + 1)) ;;
		WRONG) complain "$name: $line" ;;
		esac
	done <"$work/cells"
done
echo "amp: seed $seed: $right right, $undecided undecided, $wrong wrong, $# machines"
[ "$wrong" = 0 ]
