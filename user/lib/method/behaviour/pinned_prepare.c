// SPDX-License-Identifier: GPL-2.0
/* pinned_prepare.c - can lines be pinned at all, and what do misses look like? */
#include <errno.h>
#include <math.h>

#include "method/behaviour/pinned.h"
#include "method/level/level.h"
#include "method/level/resident_lines.h"

#define PAGE_BYTES 4096
/* At this distance in lines no prefetcher brings one pinned line for another. */
#define LINES_APART 4
/* Lines that evict others whatever the order, times the ways, at least: of a
 * hashed level few more are known, and few more lie in the contiguous memory of guests.
 */
#define PUSH_LEAST 1.5

/* Are lines of a set of level @index lines of a set of each level from @first on
 * above it, and are there any?
 */
static bool shows_sets(const struct pinned *k, size_t first, size_t index)
{
	const struct cache_result *c = pinned_cache(k, index);

	if (!parameter_is_measured(&c->ways) || c->ways.value < 1)
		return false;
	/* They were collected so. */
	if (!resident_lines_sets_known(c))
		return c->set_line_count > 0;
	for (; first < index; first++)
		if (!resident_lines_sets_known(pinned_cache(k, first)) ||
		    resident_lines_way_bytes(c) %
			    resident_lines_way_bytes(pinned_cache(k, first)))
			return false;
	return true;
}

/* Lines beside one another, each in sets of its own. */
static void choose_apart(struct pinned *k)
{
	const struct cache_result *first = pinned_cache(k, 0);
	uint64_t room = resident_lines_way_bytes(first), line = 0;

	for (size_t i = 0; i <= k->level; i++)
		if (parameter_is_measured(&pinned_cache(k, i)->line_bytes))
			line = (uint64_t)fmax(
				(double)line,
				pinned_cache(k, i)->line_bytes.value);
	if (room > PAGE_BYTES)
		room = PAGE_BYTES;
	k->count = 0;
	if (k->alone)
		room = 1;
	for (uint64_t at = 0; k->count < PINNED_LINES && at < room;
	     at += LINES_APART * line) {
		bool own = true;

		for (size_t i = 0; i <= k->level; i++)
			for (size_t j = 0; j < k->count; j++)
				own = own &&
				      pinned_share(k->p, pinned_cache(k, i), at,
						   k->apart[j]) ==
					      PINNED_SHARED_NO;
		if (own || !at)
			k->apart[k->count++] = at;
	}
	/* Equal steps from one to the next would have them prefetched. */
	sequence_shuffle(&(struct sequence){ k->apart, k->count }, &k->p->rng);
}

static bool knows_below(const struct pinned *k)
{
	for (size_t i = k->level + 1; i < k->h->cache_count; i++) {
		const struct cache_result *c = pinned_cache(k, i);

		if (c->inclusion != INCLUSION_EXCLUSIVE &&
		    !pinned_knows_sets(k, i))
			return false;
	}
	return true;
}

static const char *few_lines =
	"too few lines that share a set here, and not elsewhere, are known";

/* Is a placement to be had? */
static const char *try_lists(struct pinned *k)
{
	struct failure f = { .text = "" };
	int error = -ERANGE;

	for (int i = 0; error == -ERANGE && i < 4; i++) {
		struct pinned_place at;

		error = pinned_place(k, &at, &f);
		pinned_release(&at);
	}
	return error ? few_lines : NULL;
}

/* Lines of one set differ in none of the bits that are flipped for the others. */
static bool keeps_halves(const struct pinned *k)
{
	const struct cache_result *first = pinned_cache(k, 0);
	uint64_t way;

	if (!resident_lines_sets_known(first) ||
	    !parameter_is_measured(&first->line_bytes))
		return false;
	way = resident_lines_way_bytes(first);
	return way && (way % PAGE_BYTES == 0 || PAGE_BYTES % way == 0);
}

static double ticks_of(const struct pinned *k, size_t index)
{
	return prober_load_ticks(k->p,
				 pinned_cache(k, index)->latency_ns.value);
}

static bool is_slower(const struct pinned *k, size_t index, size_t above)
{
	return parameter_is_measured(&pinned_cache(k, index)->latency_ns) &&
	       parameter_is_measured(&pinned_cache(k, above)->latency_ns) &&
	       ticks_of(k, index) > ticks_of(k, above);
}

/* Halfway between the level below and what lies behind that. */
static double beyond(const struct pinned *k)
{
	const struct hierarchy *h = k->h;
	const size_t below = k->level + 1;
	const struct parameter *behind =
		below + 1 < h->cache_count ? &h->caches[below + 1].latency_ns :
					     &h->memory_latency_ns;

	if (below >= h->cache_count ||
	    !parameter_is_measured(&h->caches[below].latency_ns) ||
	    !parameter_is_measured(behind))
		return INFINITY;
	return (ticks_of(k, below) + prober_load_ticks(k->p, behind->value)) /
	       2;
}

/* One line that comes from below both is seen, one that comes from the level is not. */
static const char *prepare_alone(struct pinned *k)
{
	struct pinned_scale *here = &k->scales[PINNED_HERE];
	struct pinned_scale *above = &k->scales[PINNED_ABOVE];

	if (k->assumed)
		return "what a miss costs is not known";
	if (here->counter || above->counter)
		return "counters count each line";
	above->unit += k->miss_ticks;
	here->beyond = beyond(k) - ticks_of(k, k->level);
	above->beyond = beyond(k) - ticks_of(k, k->holder);
	return NULL;
}

/* What hits and misses of both levels look like. */
static const char *prepare_scales(struct pinned *k)
{
	const struct parameter *below =
		k->level + 1 < k->h->cache_count ?
			&pinned_cache(k, k->level)[1].latency_ns :
			&k->h->memory_latency_ns;
	struct pinned_scale *here = &k->scales[PINNED_HERE];
	struct pinned_scale *above = &k->scales[PINNED_ABOVE];

	if (!is_slower(k, k->level, k->level - 1) ||
	    !is_slower(k, k->level, k->holder))
		return "what a hit costs is not known";
	here->counter = sampler_miss_counter(k->p->counters, k->level);
	above->counter = sampler_miss_counter(k->p->counters, k->holder);
	k->miss_ticks = LEVEL_LEAST_MISS * ticks_of(k, k->level);
	k->assumed = !parameter_is_measured(below);
	if (!k->assumed)
		k->miss_ticks = prober_load_ticks(k->p, below->value) -
				ticks_of(k, k->level);
	if (!(k->miss_ticks > 0))
		return "a miss costs nothing";
	here->unit = here->counter ? 1 : k->miss_ticks;
	above->unit = above->counter ?
			      1 :
			      ticks_of(k, k->level) - ticks_of(k, k->holder);
	here->beyond = above->beyond = INFINITY;
	return k->alone ? prepare_alone(k) : NULL;
}

/* Other lines of the set of the level that any line has, at least. */
static size_t others_of_set(const struct pinned *k)
{
	const struct cache_result *c = pinned_cache(k, k->level);
	const uint64_t bytes = k->p->arena_bytes;
	uint64_t lines = c->set_line_count;

	if (resident_lines_sets_known(c))
		lines = bytes > PAGE_BYTES ?
				(bytes - PAGE_BYTES) /
					resident_lines_way_bytes(c) :
				0;
	return lines ? (size_t)lines - 1 : 0;
}

const char *pinned_prepare(struct pinned *k)
{
	const struct cache_result *c = pinned_cache(k, k->level);
	const char *why = prepare_scales(k);

	if (why)
		return why;
	if (!keeps_halves(k) ||
	    (!k->unpushed && !shows_sets(k, k->level, k->level)) ||
	    !shows_sets(k, 0, k->level - 1) ||
	    (k->holder > 1 && !shows_sets(k, 0, k->holder - 1)))
		return "lines that share a set are not known";
	k->wanted = PINNED_MOST_WAYS * pinned_ways(k, k->level);
	if (!k->unpushed) {
		const size_t known = others_of_set(k);

		if (known <
		    pinned_fillers(k) + (size_t)(PUSH_LEAST * c->ways.value))
			return few_lines;
		if (known - pinned_fillers(k) < k->wanted)
			k->wanted = known - pinned_fillers(k);
	}
	choose_apart(k);
	k->avoids = true;
	why = try_lists(k);
	if (why) {
		k->avoids = false;
		why = try_lists(k);
	}
	k->spares_below = k->avoids && knows_below(k);
	return why;
}
