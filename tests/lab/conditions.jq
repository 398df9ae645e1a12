# SPDX-License-Identifier: GPL-2.0
#
# conditions.jq - a profile as the lab's computer presents it to the tool:
# {profile, changed}, where changed says in words what sim has otherwise.

def huge: . < 1073741824;

# The module's view of its buffer has pages of 2 MiB.
def pages:
	select([.tlbs[]?.page_bytes[], .huge_page_bytes[]?] | all(huge) | not) |
	{ text: "pages of 1 GiB in sim, views of 2 MiB in the lab" };

def contiguous:
	select((.phys_placement // "contiguous") != "contiguous") |
	{ text: "phys_placement \(.phys_placement) in sim, the module's memory is contiguous" };

def real:
	select(.virtual_machine) |
	{ text: "virtual_machine in sim, the lab's computer is none" };

def quiet:
	select((.noise // {} | del(.seed)) != {}) |
	{ text: "noise in sim, the lab has its own" };

def clock:
	select((.timer.resolution_ns // 0) > 1) |
	{ text: "timer of \(.timer.resolution_ns) ns in sim, the lab has its own" };

def as_in_lab:
	.huge_page_bytes |= (. // [] | map(select(huge))) |
	.tlbs |= (. // [] | map(.page_bytes |= map(select(huge)) |
		select(.page_bytes | length > 0))) |
	.phys_placement = "contiguous" |
	del(.virtual_machine, .host_page_bytes) |
	.noise |= { seed: (.seed // 0) } |
	if (.timer.resolution_ns // 0) > 1 then .timer.resolution_ns = 1 else . end;

{ changed: [(pages, contiguous, real, quiet, clock).text],
  profile: as_in_lab }
