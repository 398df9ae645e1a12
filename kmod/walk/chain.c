// SPDX-License-Identifier: GPL-2.0
/* chain.c - from a list of offsets to a chain in memory; no timing. */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "cpu/cpu.h"
#include "mem/mem.h"
#include "walk/chain.h"

/* Elements between two chances to reschedule or to be killed. */
#define PP_CHAIN_CHUNK	4096U

/* Whether a fatal signal came; looked at once per chunk of elements. */
static bool pp_chain_killed(u32 i)
{
	if (i % PP_CHAIN_CHUNK)
		return false;
	cond_resched();
	return fatal_signal_pending(current);
}

/* The lowest and the highest of the offsets, each checked by itself. */
static int pp_chain_span(const struct pp_buffer *b, const u64 *offsets, u32 nr,
			 u64 *low, u64 *high)
{
	u32 i;

	*low = U64_MAX;
	*high = 0;
	for (i = 0; i < nr; i++) {
		if (pp_chain_killed(i))
			return -EINTR;
		if (offsets[i] % sizeof(u64))
			return -EINVAL;
		if (offsets[i] >= b->bytes)
			return -ERANGE;
		*low = min(*low, offsets[i]);
		*high = max(*high, offsets[i]);
	}
	return 0;
}

static int pp_chain_window(struct pp_chain *chain, const struct pp_buffer *b,
			   u64 low, u64 high)
{
	const struct probe_phys_extent *e;
	u64 first, end, bytes;

	e = pp_buffer_extent_at(b, low, &first);
	if (!e)
		return -ERANGE;
	end = first + e->bytes;
	bytes = roundup_pow_of_two(high + sizeof(u64) - low);
	if (high >= end || bytes > e->bytes)
		return -EINVAL;
	chain->start = min(low, end - bytes);
	chain->base = pp_buffer_kaddr(b, chain->start, bytes);
	if (!chain->base)
		return -EINVAL;
	/* Whole words only: a load at the very end must not reach beyond it. */
	chain->mask = (bytes - 1) & ~(u64)(sizeof(u64) - 1);
	return 0;
}

/* Open addressing, at most half full; a slot holds index + 1, 0 is empty. */
static int pp_chain_unique(const u64 *offsets, u32 nr)
{
	unsigned int bits = order_base_2(nr) + 1;
	u32 *slots, i;
	int ret = 0;

	slots = kvcalloc(1UL << bits, sizeof(*slots), GFP_KERNEL_ACCOUNT);
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		u32 slot = hash_64(offsets[i], bits);
		u32 probes;

		for (probes = 0; slots[slot]; probes++) {
			ret = pp_chain_killed(probes + 1) ? -EINTR : 0;
			if (offsets[slots[slot] - 1] == offsets[i])
				ret = -EINVAL;
			if (ret)
				goto out;
			slot = (slot + 1) & ((1U << bits) - 1);
		}
		slots[slot] = i + 1;
		if (pp_chain_killed(i)) {
			ret = -EINTR;
			goto out;
		}
	}
out:
	kvfree(slots);
	return ret;
}

int pp_chain_check(struct pp_chain *chain, const struct pp_buffer *b,
		   const u64 *offsets, u32 nr)
{
	u64 low, high;
	int ret;

	chain->offsets = offsets;
	chain->nr = nr;
	ret = pp_chain_span(b, offsets, nr, &low, &high);
	if (ret)
		return ret;
	ret = pp_chain_window(chain, b, low, high);
	if (ret)
		return ret;
	return pp_chain_unique(offsets, nr);
}

int pp_chain_lay(const struct pp_chain *chain)
{
	u32 i;

	for (i = 0; i < chain->nr; i++) {
		u32 next = i + 1 < chain->nr ? i + 1 : 0;
		u64 *word = chain->base + pp_chain_at(chain, i);

		if (pp_chain_killed(i))
			return -EINTR;
		WRITE_ONCE(*word, pp_chain_at(chain, next));
	}
	return 0;
}

int pp_chain_flush(const struct pp_chain *chain)
{
	u32 i;

	for (i = 0; i < chain->nr; i++) {
		if (pp_chain_killed(i))
			return -EINTR;
		pp_flush_lines(chain->base + pp_chain_at(chain, i),
			       sizeof(u64));
	}
	return 0;
}
