# SPDX-License-Identifier: GPL-2.0
#
# virtual.jq - a profile as a guest sees it: no counters, pages of up to 2 MiB
# that lie anywhere (small ones where it has no others), backed by host pages of
# $host bytes that lie anywhere, and a timer that is read through the hypervisor.
.virtual_machine = true |
.host_page_bytes = ([$host, .page_bytes] | max) |
.counters = [] | del(.counter_faults) |
.huge_page_bytes |= map(select(. <= 2097152)) |
.phys_placement = (if .huge_page_bytes == [] then "random-4k"
	else "random-2m" end) |
.tlbs |= map(.page_bytes |= map(select(. <= 2097152)) |
	select(.page_bytes | length > 0)) |
.noise.jitter_cycles = ([.noise.jitter_cycles // 0, 20] | max)
