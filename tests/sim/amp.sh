#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# amp.sh - AMP beside X-Ray on simulated machines.
#
# The methods may not disagree, and each of AMP's answers must be that of the
# machine's "expect", or undecided with a reason. judge.jq compares.
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

# Which line or entry is evicted, and whether a TLB is split, beside the policies of
# the machine. A policy that bypasses at random has no expected answer.
# shellcheck disable=SC2016
replacement='def cell($where; $key; $got; $wanted):
		if $got == null or $got.status == "unavailable" then
			"unmeasured \($where) \($key)"
		elif $got.value == null then
			"undecided \($where) \($key) \($got.reason)"
		elif $got.value == $wanted then "right \($where) \($key)"
		else "WRONG \($where) \($key) \($got.value) instead of \($wanted)" end;
	def serves($row): .level == $row.level and
		((.type == "instruction") == ($row.type == "instruction") or
		.type == "unified");
	def goes: if .policy.name == "random" then "random"
		elif .policy.name == "bip" or .policy.name == "brrip" or
			.policy.name == "drrip" then null
		else "repeatable" end;
	$profile[0] as $p |
	(.amp.caches[] | . as $row | [$p.caches[] | select(serves($row))][0] |
		select(. != null and goes != null) |
		cell("L\($row.level)\($row.type[:1])"; "replacement";
			$row.replacement; goes)),
	(.amp.tlbs[] | . as $row | [$p.tlbs[] | select(serves($row) and
		any(.page_bytes[]; . == $row.mapped_bytes))][0] |
		select(. != null) | "TLB\($row.level)\($row.type[:1])" as $where |
		cell($where; "replacement"; $row.replacement; goes),
		cell($where; "unified"; $row.unified; .type == "unified"))'

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
	# Parameters that AMP does not measure are not compared.
	jq -r --slurpfile profile "$profile" -f tests/sim/judge.jq \
		"$work/part" | grep -E ' (ways|capacity_bytes|line_bytes|write_allocate|write_back|unified|entries|type) ?' \
		>"$work/cells"
	jq -r --slurpfile profile "$profile" "$replacement" "$work/out" \
		>>"$work/cells"
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
