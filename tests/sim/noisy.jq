# SPDX-License-Identifier: GPL-2.0
#
# noisy.jq - a profile with the standard disturbance on top of its own.
#
# Jitter of a timer read through a hypervisor, one reading in a hundred hit by
# something of a microsecond, and a timer interrupt every 100,000 loads (250
# ticks in a second at 40 ns a load) whose handler takes 16 lines of each
# cache. Where a profile is noisier by itself it stays so.
{
	"jitter_cycles": 20,
	"tail_probability": 0.01,
	"tail_cycles": 2000,
	"interrupts_per_million_loads": 10,
	"lines_evicted_per_interrupt": 16
} as $standard |
.noise = reduce ($standard | to_entries[]) as $n (.noise // {};
	.[$n.key] = ([.[$n.key] // 0, $n.value] | max))
