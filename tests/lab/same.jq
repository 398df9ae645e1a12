# SPDX-License-Identifier: GPL-2.0
#
# same.jq - what the tool says of a profile in the lab against what it says of
# the same profile in the sim machine; one line per parameter that either of
# them reports: "same", "open" (undecided in both), "excused", "unlike", "UNEVEN"
# (undecided in one of them) or "DIFFERENT".
#
#	$sim, $lab: the two answers
#	$alike: sim's answer under the lab's conditions (conditions.jq), or none
#	$conditions: what these change, in words
#
# Whether something can be decided may depend on conditions that the two do
# not share. That is an excuse only if sim comes to the lab's answer under the
# lab's conditions; two numbers that differ have none.
#
# TLBs are unlike where one side is undecided: in the lab the tool's own pages and
# the kernel's have places in them too, which sim knows nothing of. So is what
# levels do with stores, each other and other CPUs, which the lab does in user
# space, where interrupts come. And so is the instruction cache: the kernel's code lies in it
# beside what is walked.
#
# Below, $alike is [whether there is such an answer, the part in question].
#
# Nanoseconds are left out: the lab's cycle is as long as run.sh makes it, not
# as the profile's. So are registers and the clock's frequency: TCG keeps the
# guest's registers in the host's, whatever the profile has.

# A level of which nothing at all is known ("what lies below, if anything
# does") is no answer: whether it is listed or not says nothing, unless others
# know something of it. Then it is open.
def name_of_level: "\(.level) \(.type)";
def tells: any(.[]; type == "object" and .value != null);

([$sim, $lab, $alike | .[].caches[]? | select(tells) | name_of_level] | unique)
	as $known |

def told: map(.caches |= map(name_of_level as $name |
	select(tells or any($known[]; . == $name))));

($sim | told) as $sim | ($lab | told) as $lab | ($alike | told) as $alike |

def close($a; $b): ($a - $b | fabs) <= 0.5 + ([$a, $b] | min) / 20;

def same($name; $a; $b):
	if ($name | endswith("_cycles")) and ([$a, $b] | all(type == "number"))
	then close($a; $b)
	else $a == $b end;

def shown: if . == null then "not reported"
	elif .value != null then "\(.value)"
	else "\(.status) (\(.reason // "no reason"))" end;

def judge($where; $name; $sim; $lab; $alike):
	"\($where) \($name): sim \($sim | shown), lab \($lab | shown)" as $text |
	if $sim.value != null and $lab.value != null then
		if same($name; $sim.value; $lab.value) then "same: \($text)"
		else "DIFFERENT: \($text)" end
	elif $sim != null and $lab != null and $sim.value == $lab.value
	then "open: \($text)"
	elif $alike[0] and ($alike[1] != null) == ($lab != null) and
		same($name; $alike[1].value; $lab.value)
	then "excused: \($text): \($conditions)"
	elif ($where | test("^TLB|instruction$")) or ($name | test("^(write_|shared_cpus|unified|inclusion)")) then "unlike: \($text)"
	elif $sim != null and $lab != null then "UNEVEN: \($text)"
	else "DIFFERENT: \($text)" end;

def parameters: . // {} | to_entries | map(select(
	(.value | type == "object" and has("value")) and
	.key != "latency_ns") | .key);

# A level that is only half reported has no excuse: under the lab's conditions
# sim has the level too, or not.
def entry($where; $sim; $lab; $alike):
	($alike[0] and ($alike[1] == null) == ($lab == null)) as $usable |
	(($sim | parameters) + ($lab | parameters) | unique[]) as $name |
	judge($where; $name; $sim[$name]; $lab[$name];
		[$usable, $alike[1][$name]]);

def number($list):
	def count: [.[0][$list][]? | select($list == "tlbs" or
		.type != "instruction")] | length;
	($sim | count) as $a | ($lab | count) as $b | ($alike | count) as $c |
	"number of \($list): sim \($a), lab \($b)" as $text |
	if $a == $b then "same: \($text)"
	elif $alike != [] and $c == $b
	then "excused: \($text): \($conditions)"
	elif $list == "tlbs" then "unlike: \($text)"
	else "DIFFERENT: \($text)" end;

# Unified is what was shown; what was not shown is called data.
def side: if . == "instruction" then . else "data" end;

# Entries of the documents, paired by what names them.
def entries($list; name):
	def named($where): first(.[$list][]? | select(name == $where)) // null;
	([$sim[0], $lab[0] | .[$list][]? | name] | unique[]) as $where |
	entry($where; $sim[0] | named($where); $lab[0] | named($where);
		[$alike != [], ($alike[0] | named($where))]);

number("caches"), number("tlbs"),
entries("caches"; "L\(.level) \(.type)"),
entries("tlbs"; "TLB \(.level) \(.type | side) \(.page_bytes)"),
entry("memory"; $sim[0].memory; $lab[0].memory;
	[$alike != [], $alike[0].memory])
