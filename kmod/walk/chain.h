/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chain.h - the sequence of a walk: offsets checked, then laid out in the
 * buffer as a chain that no load can leave.
 */
#ifndef PP_WALK_CHAIN_H
#define PP_WALK_CHAIN_H

#include <linux/compiler.h>
#include <linux/types.h>

struct pp_buffer;

/**
 * struct pp_chain - a checked sequence
 * @offsets: buffer offsets in the order of the walk; the caller keeps them
 * @nr: their number
 * @start: buffer offset of the window
 * @base: kernel address of the window
 * @mask: makes any 64-bit value the offset of a whole word of the window
 *
 * The word at each offset holds the position of the next element, relative to
 * @base; the last element leads back to the first.
 */
struct pp_chain {
	const u64 *offsets;
	u32 nr;
	u64 start;
	void *base;
	u64 mask;
};

/**
 * pp_chain_check() - check offsets and choose the window
 * @chain: (out) everything
 * @b: buffer, not written to
 * @offsets: @nr offsets in kernel memory
 * @nr: their number, not 0
 *
 * Context: process, sleeps, killable.
 * Return: 0, -EINVAL, -ERANGE, -ENOMEM, -EINTR.
 */
int pp_chain_check(struct pp_chain *chain, const struct pp_buffer *b,
		   const u64 *offsets, u32 nr);

/**
 * pp_chain_lay() - write the chain into a frozen buffer
 * @chain: checked
 *
 * Context: process, sleeps, killable. Return: 0, -EINTR.
 */
int pp_chain_lay(const struct pp_chain *chain);

/**
 * pp_chain_flush() - flush the line of each element from all caches
 * @chain: checked
 *
 * Context: process, sleeps, killable. Return: 0, -EINTR.
 */
int pp_chain_flush(const struct pp_chain *chain);

/** pp_chain_at() - position of element @i, relative to the base */
static inline u64 pp_chain_at(const struct pp_chain *chain, u32 i)
{
	return chain->offsets[i] - chain->start;
}

/*
 * Assembly on x86: compilers like to compute the address in a register of its
 * own, which puts one more instruction between any two loads.
 */
static __always_inline u64 pp_chain_load(const void *base, u64 at)
{
#ifdef CONFIG_X86
	u64 word;

	asm volatile("mov (%1, %2), %0" : "=r" (word) : "r" (base), "r" (at));
	return word;
#else
	return READ_ONCE(*(const u64 *)(base + at));
#endif
}

static __always_inline u64 pp_chain_step(const void *base, u64 at, u64 mask)
{
	return pp_chain_load(base, at) & mask;
}

static __always_inline u64 pp_chain_step4(const void *base, u64 at, u64 mask)
{
	at = pp_chain_step(base, at, mask);
	at = pp_chain_step(base, at, mask);
	at = pp_chain_step(base, at, mask);
	return pp_chain_step(base, at, mask);
}

static __always_inline u64 pp_chain_step16(const void *base, u64 at, u64 mask)
{
	at = pp_chain_step4(base, at, mask);
	at = pp_chain_step4(base, at, mask);
	at = pp_chain_step4(base, at, mask);
	return pp_chain_step4(base, at, mask);
}

/**
 * pp_chain_chase() - follow the chain by dependent loads
 * @base: of the chain
 * @mask: of the chain
 * @at: first position, a masked offset
 * @loads: how many
 *
 * Context: any. Return: the position after the last load.
 */
static __always_inline u64 pp_chain_chase(const void *base, u64 mask, u64 at,
					  u32 loads)
{
	for (; loads >= 16; loads -= 16)
		at = pp_chain_step16(base, at, mask);
	while (loads--)
		at = pp_chain_step(base, at, mask);
	return at;
}

#endif /* PP_WALK_CHAIN_H */
