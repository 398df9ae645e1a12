#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# policy.sh - "policy", "query" and "verify" on simulated machines of known answers,
# and the arguments that they refuse.
set -uo pipefail

cd "$(dirname "$0")/../.." || exit 1
. tests/tool/kit.sh

json() {	# what filter
	if jq -e "$2" "$work/out" >/dev/null 2>"$work/err"; then
		passed=$((passed + 1))
	else
		flunk "$1: not true: $2"
	fi
}

# The classes of levels 1 and 2 have these names. False: not of today.
has() {	# profile first second [seed]
	is_of_today || return
	run 0 --machine "sim:tests/machines/$1.json" --seed "${4:-1}" policy \
		--levels 2 --json
	json "$1" ".schema == 1 and (.caches | length) == 2 and
		(.caches[0].policy.names | index(\"$2\")) != null and
		(.caches[1].policy.names | index(\"$3\")) != null and
		all(.caches[].policy; .status == \"measured\" and
			.answer_error_bound > 0 and (.evidence | length) > 0)"
}

nehalem=sim:tests/machines/modern-nehalem-i7-920.json
has adv-no-counters tree-PLRU tree-PLRU
has modern-nehalem-i7-920 tree-PLRU tree-PLRU
has adv-fifo FIFO FIFO
has adv-lru3plru4-l1 LRU3PLRU4 QLRU_H00_M1_R0_U1
has adv-bit-plru "bit-PLRU (MRU)" "bit-PLRU (MRU)"
has adv-srrip tree-PLRU SRRIP-HP
has adv-qlru-h00-l2 tree-PLRU QLRU_H00_M1_R2_U1
# Averages: of seeds 1 to 11 the first leaves L2 undecided. Dueling that was not seen
# is not excluded: the number of tried sets is reported.
has adv-random random random 2 &&
	json "no dueling" 'all(.caches[].policy; .adaptive == false and
		.dueling.sets_tried == 16 and .leaders == null)'

# Sets that duel: leaders as in the profile, with their policies. False: not of today.
duels() {	# profile sets policy second option...
	local profile=$1 sets=$2 policy=$3 second=$4

	is_of_today || return
	shift 4
	run 0 --machine "sim:tests/machines/$profile.json" --seed 1 "$@" \
		policy --levels 2 --json
	json "$profile duels" ".caches[0].policy.adaptive == false and
		(.caches[1].policy | .adaptive == true and
		.value == \"adaptive\" and .dueling.undecided == 0 and
		.dueling.following == $sets and
		.dueling.error_bound <= 1e-6 and
		.dueling.roles_error_bound <= 1.11e-5 and
		[.leaders[].sets] == [[[512, 575]], [[768, 831]]] and
		[.leaders[].relation.expression] ==
			[\"(s & 0x3c0) == 0x200\",
			\"(s & 0x3c0) == 0x300\"] and
		[.leaders[].set_count] == [64, 64] and
		[.leaders[].resists_thrashing] == [false, true] and
		.leaders[0].policy == \"$policy\" and
		(.leaders[0].equivalent | index(\"$policy\")) == null and
		.leaders[0].status == \"measured\" and
		(.leaders[1] | .policy == \"$second\" or (.policy == null and
		(.reason | length) > 0 and
		(.candidates == [] or (.candidates | index(\"$second\"))))))"
}

duels adv-duel-ivy-bridge-l2 896 QLRU_H11_M1_R1_U2 QLRU_H11_MR31_R1_U2 &&
	json "policy that rarely inserts a line" '.caches[1].policy.leaders[1] |
		.policy == "QLRU_H11_MR31_R1_U2" and .kind == "randomised" and
		.equivalent == [] and .answer_error_bound <= 3e-4'
duels adv-duel-haswell-l2 896 QLRU_H11_M1_R0_U0 QLRU_H11_MR31_R0_U0 \
	--decide-by time

# Sets of a hashed level are found by trial and have no numbers: two of them have to
# agree, and dueling is undecided. No stride clears L2, so that L3 is out of reach.
hashed=sim:tests/machines/adv-hashed-l2.json
if is_of_today; then
	run 0 --machine $hashed --seed 1 policy --json
	json "hashed L2" '.caches[1].policy | .status == "measured" and
		.value == "tree-PLRU" and .adaptive == null and
		.dueling.status == "undecided" and .dueling.sets_tried == 2'
	json "below a hashed L2" '.caches[2] | .level == 3 and (.policy |
		.status == "undecided" and .value == null and
		(.reason | length) > 0)'
fi
if is_of_today; then
	run 0 --machine $hashed --decide-by time query --level 2 --json \
		'A B C A? D?'
	json "query of a hashed L2" '[.measured[].answer] == ["hit", "miss"]'
fi
if is_of_today; then
	run 0 --machine sim:tests/machines/adv-sliced-l3-10.json query \
		--level 3 --json '@ A? B?'
	json "query of a sliced L3" '.level == 3 and
		[.measured[].answer] == ["miss", "miss"]'
fi
# The effect of a hit in an exclusive level is not known.
if is_of_today; then
	run 0 --machine sim:tests/machines/modern-zen1-1800x.json policy \
		--level 3 --json
	json "exclusive L3" '.caches | length == 1 and .[0].level == 3 and
		.[0].policy.status == "undecided" and
		(.[0].policy.reason |
			test("the effect of an access on its sets is not known"))'
fi
run 3 --machine $hashed policy --level 6
says 'no level 6 was found'

run 0 --machine $nehalem query --json 'A @ A? A? B?'
json "query" '[.measured[].answer] == ["miss", "hit", "miss"] and
	[.measured[].line] == ["A", "A", "B"] and .level == 1'
run 0 --machine $nehalem query --level 2 --json 'A B C A? D?'
json "query of L2" '[.measured[].answer] == ["hit", "miss"]'
# Flushing frees a way: the fifth line takes it, and A is not evicted.
run 0 --machine $nehalem query --json '@ A! A? A? (A A! A?)2'
json "flushed lines" '[.measured[].answer] ==
	["miss", "hit", "miss", "miss"]'
run 0 --machine $nehalem --decide-by time query --level 2 --json \
	'A B C A! B? A?'
json "flushed lines of L2, by time" '[.measured[].answer] == ["hit", "miss"]'
run 2 query '! A?'
says '^probe-phys: query: column 1: '
run 2 query 'A!? B?'
says 'column 3: one mark too many'
run 2 query
says "no query"
run 2 query 'A? #'
says '^probe-phys: query: column 4: '
run 2 query 'A B'
says 'nothing is measured'
run 2 query A? B?
says 'quote the query'
run 2 query --level 0 A?
says "'0' is no level"
run 2 policy --levels 9
says "'9' is no number"
run 2 policy surplus
says 'takes no arguments'

# 1,000 new pairs at an error of one percent: 10 errors are too many.
run 0 --machine $hashed --seed 1 verify --json
json "masks of a hashed L2" '.caches | length == 1 and .[0].level == 2 and
	.[0].index.rank == 11 and (.[0].index.masks | length) == 11 and
	(.[0].index.prediction | .undecided + .congruent.pairs + .apart.pairs
	== 1000 and .congruent.pairs > 400 and .apart.pairs > 400 and
	.congruent.wrong < 5 and .apart.wrong < 5 and .apart.rate_high < 0.03)'
if is_of_today; then
	run 0 --machine $hashed --seed 1 --decide-by time verify --pairs 100
	if [ "$(grep -c 'of .* pairs predicted to' "$work/out")" = 2 ]; then
		passed=$((passed + 1))
	else
		flunk "the error rates"
	fi
fi
run 3 --machine $nehalem verify
says '^probe-phys: verify: no masks: .*strides find'
run 2 verify --pairs 1
says "'1' is no number of pairs"
run 2 verify surplus
says 'takes no arguments'

closing policies
