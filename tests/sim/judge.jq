# SPDX-License-Identifier: GPL-2.0
#
# judge.jq - the tool's document against the profile's "expect", one line for
# each cell: "right|undecided|unmeasured|WRONG WHERE CELL [WORDS]".
#
#	jq -r --slurpfile profile PROFILE.json -f judge.jq DOCUMENT.json
#
# Latencies are averages: half a cycle and 5 % are allowed. Footprints see where
# loads begin to come from memory: half of what a program can use, at least, and
# no more than all. Unmeasured is what
# no method looks at on that machine; a data cache that was not found is
# undecided.

def value: if type == "object" then .value else . end;
def near($a; $b): ($a - $b) | fabs <= 0.5 + 0.05 * $b;
def decided: type == "object" and .value != null;
def seen($got; $wanted): $got.method == "footprints" and
	$got.value >= $wanted / 2 and $got.value <= $wanted;

def cell($where; $key; $got; $wanted):
	if $got == null or $got.status == "unavailable" then
		"unmeasured \($where) \($key)"
	elif $got.value == null then
		if ($got.reason // "") == "" then
			"WRONG \($where) \($key) undecided, no reason"
		else "undecided \($where) \($key) \($got.reason)" end
	elif $got.value == $wanted or
		(($key | endswith("_cycles")) and near($got.value; $wanted)) or
		($key == "effective_capacity_bytes" and seen($got; $wanted)) then
		"right \($where) \($key)"
	else "WRONG \($where) \($key) \($got.value) instead of \($wanted)" end;

# Every cell of one part of "expect" beside that part of the document.
def cells($where; $got; $expect):
	$expect | to_entries[] |
	select(.value | type == "object") |
	cell($where; .key; $got[.key]; .value | value);

def absent: with_entries(.value |= {status: "undecided", value: null,
	reason: "no such level was found"});

# Data accesses see a unified level as one of data.
def serves($type): .type == $type or
	($type == "unified" and .type == "data") or
	($type == "data" and .type == "unified");

def caches($found; $expect):
	($expect[] | . as $e |
		if .type == "instruction" then
			cells("L\(.level)i";
				[$found[] | select(.level == $e.level and
					.type == "instruction")][0] // {}; .)
		else
			cells("L\(.level)";
				[$found[] | select(.level == $e.level and
					.type != "instruction")][0] //
					($e | absent); .)
		end),
	# A level that does not exist.
	([$expect[].level] | max // 0) as $last |
	($found[] | select(.level > $last) |
		(.capacity_bytes, .effective_capacity_bytes) | select(decided) |
		"WRONG capacity of \(.value) of a level that does not exist");

# Some machines have none: fetches go to a unified level at once.
def code($found; $machine):
	$found[] | select(.type == "instruction") | . as $c |
	select([.ways, .capacity_bytes, .line_bytes, .sets, .index] |
		any(decided)) |
	select(any($machine[]; .level == $c.level and
		.type == "instruction") | not) |
	"WRONG L\(.level)i of a cache that does not exist";

# What "expect" leaves out the machine itself says.
def inclusions($found; $machine):
	$machine[] | select(.level > 1 and .type != "instruction") |
	. as $m | cell("L\(.level)"; "inclusion";
		[$found[] | select(.level == $m.level)][0].inclusion;
		$m.inclusion // "nine");
# Those of CPU $cpu's group; private without any.
def sharing($found; $machine; $cpu):
	$machine[] | select(.type != "instruction") |
	. as $m | cell("L\(.level)"; "shared_cpus";
		[$found[] | select(.level == $m.level)][0].shared_cpus;
		[($m.shared_by // [])[] | select(index($cpu))][0] // [$cpu] |
			sort);
def stores($found; $machine):
	$machine[] | select(.type != "instruction") |
	. as $m |
	cell("L\(.level)"; "write_allocate";
		[$found[] | select(.level == $m.level)][0].write_allocate;
		$m.write_allocate != false),
	cell("L\($m.level)"; "write_back";
		[$found[] | select(.level == $m.level)][0].write_back;
		$m.write_back != false),
	cell("L\($m.level)"; "unified";
		[$found[] | select(.level == $m.level)][0].unified;
		$m.type == "unified");

def pages: if . % 1048576 == 0 then "\(. / 1048576)M" else "\(. / 1024)K" end;
def tlb_name: "TLB\(.level)\(.type[:1])/\(.page_bytes | pages)";

# A program counts levels for each page size: the first array that has the pages is
# the nearest one, whatever lies beside it for other pages.
def place($expect): . as $e | [$expect[] | select(.page_bytes == $e.page_bytes and
		((.type == "instruction") == ($e.type == "instruction") or
			.type == "unified")) | .level] |
	unique | index($e.level) + 1;

def tlbs($found; $expect):
	($expect[] | . as $e | place($expect) as $place |
		([$found[] | select((.level == $e.level or .level == $place) and
			.page_bytes == $e.page_bytes and
			serves($e.type))][0] // {}) as $t |
		cells(tlb_name; $t; $e),
		# Unified is what was shown, not what is assumed.
		(select($t.type == "unified" and .type != "unified") |
			"WRONG \(tlb_name) type unified instead of \(.type)")),
	# Nor are two arrays what is one.
	($found[] | . as $t |
		select(.type == "instruction" and (.entries | decided)) |
		select(any($found[]; .type == "data" and
			.level == $t.level and .page_bytes == $t.page_bytes and
			(.entries | decided))) |
		[$expect[] | select(.level == $t.level and
			.page_bytes == $t.page_bytes) | .type] |
		select(. == ["unified"]) |
		"WRONG \($t | tlb_name) of code alone: it is unified"),
	($found[] | . as $t | select(.entries | decided) |
		[$expect[] | select(.page_bytes == $t.page_bytes and
			(.type == $t.type or .type == "unified" or
			$t.type == "unified")) | .level] |
		select(length > 0 and $t.level > max) |
		"WRONG \($t | tlb_name) entries \($t.entries.value) of an array that does not exist");

# The policy of an array, which a profile says of the machine itself, among all names
# of the class that was found.
def policies($found; $machine):
	{"lru": "LRU", "fifo": "FIFO", "tree-plru": "tree-PLRU",
		"bit-plru": "bit-PLRU (MRU)", "nru": "NRU", "lip": "LIP",
		"lru3plru4": "LRU3PLRU4", "mru3plru4": "MRU3PLRU4",
		"srrip": "SRRIP-HP", "random": "random", "bip": "BIP",
		"brrip": "BRRIP"} as $names |
	$found[] | . as $t | select(.policy | . != null and
		.status != "unavailable") |
	[$machine[] | select(.level == $t.level and
		(.page_bytes | if type == "array" then . else [.] end |
			index($t.page_bytes)) and serves($t.type))] |
	select(length == 1) | .[0].policy | (.name // "lru") as $name |
	(if $name == "qlru" then "QLRU_\(.variant)"
		else $names[$name] // "none that is known" end) as $wanted |
	$t.policy | cell($t | tlb_name; "policy";
		if any((.names // [])[]; . == $wanted or
			startswith("\($wanted) (1 of")) then .value = $wanted
		else . end;
		$wanted);

# Of each level that was looked at, what the machine itself says: none where it has none.
def walk_caches($found; $machine):
	$found[] | select(.entries.status != "unavailable") | . as $w |
	cell($w.level; "entries"; $w.entries;
		[$machine[] | select([.level] | flatten | index($w.level)) |
			.entries][0] // 0);

# A result may draw no more (BUDGET_RESULT; a part in a million is rounding).
def bounds: paths(type == "object" and (.error_bound // 0) > 1.000001e-3) as $p |
	"WRONG \($p | map(tostring) | join(".")) error_bound \(getpath($p).error_bound) above 1e-3";

# The machine that CPU $cpu sees, and its answers.
def on_cpu($cpu): [(.core_types // [])[] | select(.cpus | index($cpu))][0] as $t |
	if $t == null then .
	else (.caches, .tlbs) |=
			map(select((.core_type // $t.name) == $t.name)) |
		.expect = ($t.expect // .expect)
	end;

.machine.cpu as $cpu | ($profile[0] | on_cpu($cpu)) as $machine |
($machine.expect // {}) as $e |
bounds,
caches(.caches; $e.caches // []),
code(.caches; $machine.caches),
(.caches as $c | inclusions($c; $machine.caches),
	stores($c; $machine.caches)),
sharing(.caches; $machine.caches; $cpu),
tlbs(.tlbs; $e.tlbs // []),
policies(.tlbs; $machine.tlbs // []),
walk_caches(.walk_caches // []; $machine.walk_caches // []),
cells("memory"; .memory; $e.memory // {}),
cells("registers"; .registers // {}; $e.registers // {})
