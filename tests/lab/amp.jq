# SPDX-License-Identifier: GPL-2.0
#
# amp.jq - is each of AMP's answers what the profile says? Input: the tool's
# document. Prints "right|undecided|WRONG WHERE PARAMETER ...".
def cell($where; $name; $got; $right):
	"\($where) \($name)" as $what |
	if $got.value == $right then "right \($what)"
	elif $got.value == null then "undecided \($what): \($got.reason)"
	else "WRONG \($what): \($got.value) instead of \($right)" end;

# Data sees a unified cache as its own.
def is_code: .type == "instruction";

.amp.caches as $found |
([$profile[0].caches[].policy.name] | all(. != "random")) as $repeatable |
$profile[0].caches[] | . as $cache |
"L\(.level) \(.type)" as $where |
([$found[] | select(.level == $cache.level and is_code == ($cache | is_code))] |
	first) as $row |
if $row == null then "WRONG \($where): it is missing" else
	cell($where; "line_bytes"; $row.line_bytes; .line_bytes),
	cell($where; "capacity_bytes"; $row.capacity_bytes; .capacity_bytes),
	cell($where; "ways"; $row.ways; .ways),
	(select(is_code | not) |
		cell($where; "write_allocate"; $row.write_allocate;
			.write_allocate != false),
		# Of random replacement lines go that are wanted there.
		(select(.level == 1 and $repeatable) |
			cell($where; "write_back"; $row.write_back;
				.write_back != false)),
		cell($where; "replacement"; $row.replacement;
			if .policy.name == "random" then "random"
			else "repeatable" end),
		cell($where; "unified"; $row.unified; .type == "unified"))
end
