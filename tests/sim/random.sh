#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# random.sh - the built tool on random machines of random-machines.py: no value may
# be wrong. Then how many cells each family and each parameter left open.
#
#	tests/sim/random.sh
#
# Environment: RANDOM_COUNT=N machines (default 40), RANDOM_FAMILIES=WORDS of
# random-machines.py (default: all), RANDOM_KEEP=FOLDER to keep the machines and
# the verdicts, PROBE_PHYS_SEED=N of the machines and of the tool (default: date),
# and those of run.sh.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
export PROBE_PHYS_SEED=${PROBE_PHYS_SEED:-$(date +%Y%m%d)}
families=${RANDOM_FAMILIES:-mixed l1 linear modulo exclusive tlb sliced policy hashed}
if [ -n "${RANDOM_KEEP:-}" ]; then
	made=$RANDOM_KEEP
else
	made=$(mktemp -d) || exit 1
	trap 'rm -rf "$made"' EXIT
fi
export PROBE_PHYS_VERDICTS=$made/verdicts
mkdir -p "$PROBE_PHYS_VERDICTS" || exit 1

# Open: undecided cells, as a share of those that were looked at. Each verdict's
# first word is a family or, with "cell", "LEVEL PARAMETER".
shares() {	# family | cell
	(cd "$PROBE_PHYS_VERDICTS" && grep -HE '^(right|undecided|WRONG|unmeasured) ' -- *) |
		awk -v by="$1" '
		{
			split($0, part, ":")
			family = part[1]
			sub(/\.[0-9]+$/, "", family)
			sub(/.*-/, "", family)
			verdict = $1
			sub(/.*:/, "", verdict)
			key = by == "family" ? family : $2 " " $3
			n[key, verdict]++
			all[key] = 1
		}
		END {
			for (key in all) {
				r = n[key, "right"]
				u = n[key, "undecided"]
				w = n[key, "WRONG"]
				seen = r + u + w
				printf "%-32s %6d %9d %6d %10d %5.1f %%\n", key,
					r, u, w, n[key, "unmeasured"],
					seen ? 100 * u / seen : 0
			}
		}' | sort "${@:2}" |
		sed "1i $(printf '%-32s %6s %9s %6s %10s %7s' "$1" right \
			undecided wrong unmeasured open)"
}

echo "random: PROBE_PHYS_SEED=$PROBE_PHYS_SEED RANDOM_FAMILIES='$families'"
# shellcheck disable=SC2086 # words
tests/sim/random-machines.py "$PROBE_PHYS_SEED" "${RANDOM_COUNT:-40}" "$made" \
	$families || exit 1
tests/sim/run.sh "$made"/*.json >"$made/table"
failed=$?
grep -v '^sim: ' "$made/table"
shares family
shares cell -k 4,4nr
grep '^sim: ' "$made/table"
exit $failed
