#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - are the documents true? Links lead somewhere, examples run and print
# what the page shows, and every field, key and command has its line.
#
#	tests/docs/run.sh [FILE...]	examples of these files only
#
# DOCS_LONG=1 runs the examples of many seconds, too. Needs build/probe-phys.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
[ -x build/probe-phys ] || {
	echo "docs: no build/probe-phys (make tool)" >&2
	exit 1
}

# A check that counts nothing is one.
counted() {	# name command...
	local name=$1
	shift
	if "$@"; then
		echo "ok - $name: 1 of 1"
	else
		echo "not ok - $name: 0 of 1"
	fi
}

{
	counted words scripts/lint-words.py
	counted sentences scripts/lint-sentences.py
	python3 tests/docs/links.py
	python3 tests/docs/facts.py
	python3 tests/docs/examples.py "$@"
} | awk '
	{ print }
	/^(not )?ok - [a-z]+: [0-9]+ of [0-9]+$/ {
		passed += $(NF - 2)
		failed += $NF - $(NF - 2)
	}
	END {
		printf "%d passed, %d failed, 0 skipped\n", passed, failed
		exit failed || !passed
	}'
