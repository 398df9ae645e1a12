# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# amp.sh - AMP through the real module, on machines of tests/lab/amp: lines, size,
# ways, what stores do, which line goes and what code shares, of data and code;
# read by run.sh, whose variables and functions it uses.
#
# Each decided value has to be right: amp.jq has the truth from the profile. On a
# crowded host a third may be undecided; where more is, or the tool reports that the
# CPU was too busy, all is measured once more with another seed.

amp_machines=${LAB_AMP:-$(cd "$here/amp" && echo *.json)}
[ "$amp_machines" != none ] || amp_machines=
amp_crowded="no undisturbed sample|no progress in the time allowed|no miss counter is reliable"

# What the document does not have, and why.
judge_amp_failure() {	# folder
	local dir=$out/$1

	if grep -q '^# amp status [13]$' "$dir/text" &&
	   grep -E "$amp_crowded" "$dir/said" > "$dir/crowded"; then
		sed 's/^/undecided all: /' "$dir/crowded"
	else
		no_answers "$dir" "amp status"
	fi
}

measure_amp_once() {	# profile folder seed
	boot "$1" "$2" amp counters "$3"
	hear "$out/$2"
	sed -n '/^# amp json/,/^# end json/{/^#/d;p}' "$out/$2/text" \
		> "$out/$2/amp.json"
	if ! grep -q '^# amp status 0$' "$out/$2/text"; then
		judge_amp_failure "$2" > "$out/$2/answers"
		return
	fi
	jq -r --slurpfile profile "$1" -f "$here/amp.jq" "$out/$2/amp.json" \
		> "$out/$2/answers" 2>&1 ||
		echo "WRONG: answers that cannot be judged" >> "$out/$2/answers"
}

# right, open or wrong; a third may be open: as many as half of what is right.
amp_verdict() {	# folder
	local answers=$1/answers right open

	right=$(grep -c '^right' "$answers")
	open=$(grep -c '^undecided' "$answers")
	if [ ! -s "$answers" ] || grep -qvE '^(right|undecided)' "$answers"; then
		echo wrong
	elif [ "$right" -gt 0 ] && [ $((2 * open)) -le "$right" ]; then
		echo right
	else
		echo open
	fi
}

measure_amp() {	# machine
	local name=amp-$(basename "$1" .json) profile=$here/amp/$(basename "$1")

	rm -rf "${out:?}/$name" "$out/$name-first"
	measure_amp_once "$profile" "$name" "$seed"
	[ "$(amp_verdict "$out/$name")" = open ] || return 0
	mv "$out/$name" "$out/$name-first"
	measure_amp_once "$profile" "$name" $((seed + 1))
}

report_amp_machine() {	# machine
	local name=amp-$(basename "$1" .json) right open
	local dir=$out/$name

	right=$(grep -c '^right' "$dir/answers")
	open=$(grep -c '^undecided' "$dir/answers")
	if [ "$(amp_verdict "$dir")" = right ]; then
		passed=$((passed + 1))
		echo "ok $name: $right right, $open undecided ($(cat "$dir/seconds") s)"
		grep '^undecided' "$dir/answers" | sed 's/^/    /'
		[ ! -d "$dir-first" ] ||
			sed -n 's/^undecided all/    first: &/p' "$dir-first/answers"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $name:"
	grep -v '^right' "$dir/answers"
	again "$name"
	echo "--- again: LAB_SEED=$seed LAB_SERIES=$series LAB_PROFILES=none LAB_AMP=$(basename "$1") tests/lab/run.sh"
}
