#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# compare.sh - "compare" and "effective" on simulated machines of which everything
# is known: what the project's own methods say is right or open, whatever others
# say, and these are seen to fail where they do.
#
# Environment:
#	PROBE_PHYS_SEED=N	(default 1)
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
tool=$PWD/build/probe-phys
seed=${PROBE_PHYS_SEED:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "compare: PROBE_PHYS_SEED=$seed"

passed=0
failed=0

flunk() {	# what
	echo "not ok: $1"
	head -n 3 "$work/err" | sed 's/^/    stderr: /'
	failed=$((failed + 1))
}

run() {	# status ARGUMENT...
	local status=$1 got

	shift
	timeout 300 "$tool" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	if [ "$got" = "$status" ]; then
		passed=$((passed + 1))
	else
		flunk "$*: exit status $got instead of $status"
	fi
}

says() {	# PATTERN: on one line of stderr
	if grep -qE -- "$1" "$work/err"; then
		passed=$((passed + 1))
	else
		flunk "stderr lacks '$1'"
	fi
}

json() {	# what filter
	if jq -e "$library $2" "$work/out" >/dev/null 2>"$work/err"; then
		passed=$((passed + 1))
	else
		flunk "$1: not true: $2"
		jq -c "$library \"values of it\", (.parameters[]? |
			select(.level == 2) | [.parameter, .truth,
			(.values[] | [.method, .value, .verdict])])" \
			"$work/out" 2>/dev/null | sed 's/^/    /'
	fi
}

# shellcheck disable=SC2016 # jq's variables
library='
def cells($method): [.parameters[] | .values[] | select(.method == $method)];
def cell($level; $parameter; $method): [.parameters[] |
	select(.of == "cache" and .level == $level and
		.parameter == $parameter) | .values[] |
	select(.method == $method)][0];
def verdict($level; $parameter; $method):
	cell($level; $parameter; $method).verdict;
def failed($method): [cells($method)[] |
	select(.verdict == "wrong" or .verdict == "missed")] | length;
'

# What holds of every machine: X-Ray and AMP are never wrong, nothing is open
# without a reason, and what it cost is said.
compared() {	# profile
	run 0 --machine "sim:tests/machines/$1.json" --seed "$seed" \
		--only caches compare --json
	# shellcheck disable=SC2016 # jq's variables
	json "$1" '.schema == 1 and .compared_with == "truth" and
		.conditions.complete and
		[.methods[].name] == ["x-ray", "amp", "cooper-sandoval",
			"breaking-cache", "saavedra"] and
		all(.methods[]; .complete and .accesses > 0 and .seconds >= 0)'
	json "$1: ours are right" 'failed("x-ray") == 0 and
		failed("amp") == 0 and failed("cooper-sandoval") == 0 and
		(cells("x-ray") | map(select(.verdict == "right")) |
			length) >= 10'
	json "$1: reasons" 'all(.parameters[].values[];
		.status == "measured" or (.reason | length) > 0)'
}
