#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# hooks.sh - let git run scripts/hooks before it commits. Hooks of your own are
# left alone.
set -euo pipefail

cd "$(dirname "$0")/.."
folder=$(git rev-parse --git-path hooks)
mkdir -p "$folder"
for hook in "$PWD"/scripts/hooks/*; do
	to=$folder/$(basename "$hook")
	if [ -e "$to" ] && [ ! -L "$to" ]; then
		echo "probe-phys: $to is not replaced: it is not a link (call $hook from it)" >&2
		exit 1
	fi
	ln -sf "$hook" "$to"
	echo "$to"
done
