#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh - are the documents true? Links lead somewhere, examples run and print
# what the page shows, and every field, key and command has its line.
#
# Needs build/probe-phys. Prints one line for each check, TAP-like.
cd "$(dirname "$0")/../.." || exit 1
[ -x build/probe-phys ] || {
	echo "docs: no build/probe-phys (make tool)" >&2
	exit 1
}
status=0
scripts/lint-words.py || status=1
scripts/lint-sentences.py || status=1
python3 tests/docs/links.py || status=1
python3 tests/docs/facts.py || status=1
python3 tests/docs/examples.py "$@" || status=1
exit $status
