#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# random.sh - the built tool on random machines of random-machines.py: no value may
# be wrong.
#
#	tests/sim/random.sh
#
# Environment: RANDOM_COUNT=N machines (default 40), PROBE_PHYS_SEED=N of the
# machines and of the tool (default: date), and those of run.sh.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
export PROBE_PHYS_SEED=${PROBE_PHYS_SEED:-$(date +%Y%m%d)}
made=$(mktemp -d) || exit 1
trap 'rm -rf "$made"' EXIT

echo "random: PROBE_PHYS_SEED=$PROBE_PHYS_SEED"
tests/sim/random-machines.py "$PROBE_PHYS_SEED" "${RANDOM_COUNT:-40}" "$made" ||
	exit 1
tests/sim/run.sh "$made"/*.json
