# SPDX-License-Identifier: GPL-2.0
#
# answers.jq - two documents of one machine, one line for each cell that differs:
# "lost|changed|gained|mended|moved CELL: BEFORE -> AFTER", and "cells N" last.
#
#	jq -r -n --slurpfile profile PROFILE.json --slurpfile before A.json
#		--slurpfile after B.json -f answers.jq
#
# Cells are named by what they are of, not by their place: a level that is found
# by one of the two only does not shift the others.

def value: if type == "object" then .value else . end;
def near($a; $b): ($a - $b) | fabs <= 0.5 + 0.05 * ([$a, $b] | map(fabs) | max);

def name($document): . as $path |
	[range(0; length) | . as $i | $path[$i] |
		if type != "number" then .
		else ($document | getpath($path[:$i + 1])) as $of |
			if ($of | type) != "object" then tostring
			else [$of | .level, .type, .page_bytes, .size, .name |
				select(. != null and (type != "object"))] |
				map(tostring) | join("/") |
				if . == "" then ($path[$i] | tostring) else . end
			end
		end] | join(".");

# A unified TLB is what loads see and what fetches see: where the other document has
# two arrays, each is compared with it.
def both: if .type == "unified" then . as $t | "data", "instruction" |
	. as $type | $t | .type = $type else . end;

# {cell: {value, status}}, of every object with both.
def cells: .tlbs |= (. // [] | map(both)) | . as $document |
	[paths(type == "object" and has("status")) as $p |
		{key: ($p | name($document)),
			value: (getpath($p) | {value, status, method})}] |
		from_entries;

# Footprints see half of what a program can use, at least, and no more than all.
def seen($got; $wanted): $got.method == "footprints" and
	$got.value >= $wanted / 2 and $got.value <= $wanted;

# What the profile expects of a cell, if anything.
def expected($cell): $profile[0] as $p |
	($cell / ".") as [$part, $which, $key] |
	if $part != "caches" then null
	else ($which / "/") as [$level, $type] |
		[$p.expect.caches[]? | select((.level | tostring) == $level and
			((.type == "instruction") == ($type == "instruction")))][0] |
		if $key == "latency_ns" and .latency_cycles != null and
			$p.cycle_ns != null then
			(.latency_cycles | value) * $p.cycle_ns
		else .[$key] | value end
	end;

def right($cell; $got; $e): $got.value == $e or
	(($cell | test("_(cycles|ns)$")) and near($got.value; $e)) or
	(($cell | endswith(".effective_capacity_bytes")) and seen($got; $e));

# Of pages that are entered whole all entries can be used: only one number is given.
def exact($cell; $after): ($cell | endswith(".effective_entries")) and
	$after[$cell | sub("\\.effective_"; ".")].value != null;

def verdict($cell; $a; $b; $after):
	expected($cell) as $e |
	if $a.value == $b.value and $a.status == $b.status then empty
	elif $a.value == null and $b.value == null then empty
	elif $b.value == null and exact($cell; $after) then empty
	elif $b.value == null then
		if $e != null and (right($cell; $a; $e) | not)
		then "mended" else "lost" end
	elif $a.value == null then
		if $e != null and (right($cell; $b; $e) | not)
		then "changed" else "gained" end
	elif ($a.value | type) == "number" and ($b.value | type) == "number" and
		($cell | test("_(cycles|ns|hz)$")) and near($a.value; $b.value) then
		"moved"
	elif $e != null and right($cell; $b; $e) then "mended"
	else "changed" end;

($before[0] | cells) as $a | ($after[0] | cells) as $b |
(($a + $b) | keys) as $all |
($all[] | . as $cell | ($a[$cell] // {value: null}) as $x |
	($b[$cell] // {value: null}) as $y |
	verdict($cell; $x; $y; $b) |
	"\(.) \($cell): \($x.value | tojson) -> \($y.value | tojson)"),
"cells \($all | length)"
