// SPDX-License-Identifier: GPL-2.0
#include "method/behaviour/pinned_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gf2.h"
#include "method/level/resident_lines.h"
#include "observe/sampler.h"

/* So many lines apart no prefetcher brings one kept line for another. */
#define LINES_APART 4
#define PAGE_BYTES 4096
/* Where a line is stored to: not the word that the walk follows. */
#define OTHER_WORD 8
/* Lines in a set that fill it, and that push others out whatever the order,
 * times the ways. Of a hashed level only so many are known.
 */
#define FILL_WAYS 2
#define MOST_WAYS 3
#define PUSH_LEAST 1.5
/** enum shared - do two lines share a set? */
enum shared {
	SHARED_NO,
	SHARED_YES,
	SHARED_UNKNOWN,
};

/* Differences of addresses are those of offsets: memory is contiguous, but need
 * not be aligned.
 */
static uint64_t phys_of(const struct prober *p, uint64_t offset)
{
	const struct region *r = &p->m->region;

	if (!r->extent_count)
		return offset;
	return r->extents[0].phys + (offset - r->extents[0].offset);
}

static bool has_masks(const struct prober *p, const struct cache_result *c)
{
	const struct index_function *m = &c->function;

	return c->index == INDEX_HASHED && m->kind == INDEX_HASHED &&
	       !m->nonlinear && m->rank && !p->m->virtual_machine &&
	       p->m->region.phys_known && p->m->region.extent_count;
}

static enum shared shared_in(const struct prober *p,
			     const struct cache_result *c, uint64_t a,
			     uint64_t b)
{
	const struct index_function *m = &c->function;
	uint64_t differ = phys_of(p, a) ^ phys_of(p, b);

	if (own_lines_sets_known(c))
		return a % own_lines_way_bytes(c) ==
				       b % own_lines_way_bytes(c) ?
			       SHARED_YES :
			       SHARED_NO;
	if (!has_masks(p, c))
		return SHARED_UNKNOWN;
	/* Masks that tell sets apart do, whatever higher bits add to others. */
	if (differ >> m->high_bit > 1)
		return SHARED_UNKNOWN;
	for (size_t i = 0; i < m->rank; i++)
		if (gf2_parity(differ, m->masks[i]))
			return SHARED_NO;
	return SHARED_YES;
}

static const struct cache_result *cache(const struct kept *k, size_t index)
{
	return &k->h->caches[index];
}

static bool keeps_no_lines(const struct cache_result *c)
{
	return c->inclusion == INCLUSION_EXCLUSIVE;
}

static bool knows_sets(const struct kept *k, const struct cache_result *c)
{
	return own_lines_sets_known(c) || has_masks(k->p, c);
}

/* Must a line of @list stay out of the set that x has of level @index? */
static bool avoids(const struct kept *k, enum kept_list list, size_t index)
{
	if (list == KEPT_SHED)
		return index == k->keeper || index == k->level;
	if (list == KEPT_EVICT)
		return index == k->level;
	if (list == KEPT_REUSE)
		return index + 1 == k->level || index == k->level;
	return list == KEPT_PUSH && k->avoids && index > k->level &&
	       !keeps_no_lines(cache(k, index)) &&
	       knows_sets(k, cache(k, index));
}

static bool is_welcome(const struct kept *k, enum kept_list list, uint64_t x,
		       uint64_t offset)
{
	for (size_t i = 0; i < k->h->cache_count; i++)
		if (avoids(k, list, i) &&
		    shared_in(k->p, cache(k, i), x, offset) != SHARED_NO)
			return false;
	return true;
}

static size_t pick_listed(const struct kept *k, const struct cache_result *c,
			  enum kept_list list, uint64_t x, uint64_t *to,
			  size_t wanted)
{
	size_t n = 0;

	for (size_t i = 0; n < wanted && i < c->set_line_count; i++)
		if (c->set_lines[i] != x &&
		    is_welcome(k, list, x, c->set_lines[i]))
			to[n++] = c->set_lines[i];
	return n;
}

/* Lines of one set of a level, as x, from the next one on. */
static size_t pick(const struct kept *k, size_t index, enum kept_list list,
		   uint64_t x, uint64_t *to, size_t wanted)
{
	const struct cache_result *c = cache(k, index);
	const struct prober *p = k->p;
	uint64_t way, first, all, before, n = 0;

	if (!own_lines_sets_known(c))
		return pick_listed(k, c, list, x, to, wanted);
	way = own_lines_way_bytes(c);
	before = (x - p->arena_offset) / way;
	first = x - before * way;
	all = (p->arena_offset + p->arena_bytes - PAGE_BYTES - first) / way + 1;
	for (uint64_t i = 1; n < wanted && i < all; i++) {
		uint64_t offset = first + (before + i) % all * way;

		if (is_welcome(k, list, x, offset))
			to[n++] = offset;
	}
	return n;
}

static size_t ways_of(const struct kept *k, size_t index)
{
	return (size_t)cache(k, index)->ways.value;
}

static size_t fillers(const struct kept *k)
{
	return FILL_WAYS * ways_of(k, k->level);
}

/* Return: the level whose set lines of a list share with x, or its number. */
static size_t level_of(const struct kept *k, enum kept_list list)
{
	if (list == KEPT_EVICT)
		return k->level - 1;
	if (list == KEPT_REUSE)
		return k->level - 2;
	return list == KEPT_SHED ? k->keeper - 1 : k->level;
}

/* A hashed level may let lines in on reuse only, and keep others whatever comes:
 * those that push out are used again.
 */
static bool reuses(const struct kept *k)
{
	return k->alone && k->level > 1 &&
	       !own_lines_sets_known(cache(k, k->level - 1)) &&
	       own_lines_sets_known(cache(k, k->level - 2));
}

static size_t wanted_of(const struct kept *k, enum kept_list list)
{
	size_t n;

	/* No level is above. */
	if ((list == KEPT_SHED && !k->keeper) ||
	    (list == KEPT_EVICT && !k->level) ||
	    (list == KEPT_REUSE && !reuses(k)))
		return 0;
	if (list == KEPT_PUSH)
		return k->alone ? 0 : k->wanted + fillers(k);
	n = MOST_WAYS * ways_of(k, level_of(k, list));
	/* None comes twice where as many pass as push. */
	if (list == KEPT_EVICT && !k->alone &&
	    own_lines_sets_known(cache(k, k->level - 1)) && n < k->wanted)
		n = k->wanted;
	return n;
}

/* Lines to push and lines to fill are one list, in two parts. */
static int choose_list(const struct kept *k, enum kept_list list, uint64_t x,
		       struct kept_place *at)
{
	size_t wanted = wanted_of(k, list), n;
	uint64_t *to = calloc(wanted + 1, sizeof(*to));

	if (!to)
		return -ENOMEM;
	at->offsets[list] = to;
	n = wanted ? pick(k, level_of(k, list), list, x, to, wanted) : 0;
	if (n < wanted)
		return -ERANGE;
	sequence_shuffle(&(struct sequence){ to, n }, &k->p->rng);
	at->counts[list] = n;
	return 0;
}

/* Each line that pushes out, those that clear the levels above, and it again. */
static int reuse_lines(struct kept_place *at)
{
	size_t lines = at->counts[KEPT_EVICT], between = at->counts[KEPT_REUSE];
	uint64_t *once = at->offsets[KEPT_EVICT], *to;
	size_t n = 0;

	if (!between)
		return 0;
	to = calloc(lines * (between + 2) + 1, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < lines; i++) {
		to[n++] = once[i];
		memcpy(&to[n], at->offsets[KEPT_REUSE], between * sizeof(*to));
		n += between;
		to[n++] = once[i];
	}
	free(once);
	at->offsets[KEPT_EVICT] = to;
	at->counts[KEPT_EVICT] = n;
	return 0;
}

static uint64_t choose_x(const struct kept *k)
{
	const struct cache_result *c = cache(k, k->level - k->alone);
	struct prober *p = k->p;

	if (!own_lines_sets_known(c))
		return c->set_lines[rng_below(&p->rng, c->set_line_count)];
	return p->arena_offset +
	       rng_below(&p->rng, p->arena_bytes / PAGE_BYTES) * PAGE_BYTES;
}

int kept_place(struct kept *k, struct kept_place *at, struct failure *f)
{
	uint64_t x = choose_x(k);
	int error = 0;

	*at = (struct kept_place){ .counts = { 1, 1 } };
	at->offsets[KEPT_X] = malloc(sizeof(x));
	at->offsets[KEPT_WORD] = malloc(sizeof(x));
	if (!at->offsets[KEPT_X] || !at->offsets[KEPT_WORD])
		return prober_out_of_memory(f);
	at->offsets[KEPT_X][0] = x;
	at->offsets[KEPT_WORD][0] = x ^ OTHER_WORD;
	error = choose_list(k, KEPT_PUSH, x, at);
	if (!error)
		error = choose_list(k, KEPT_EVICT, x, at);
	if (!error)
		error = choose_list(k, KEPT_SHED, x, at);
	if (!error)
		error = choose_list(k, KEPT_REUSE, x, at);
	if (!error)
		error = reuse_lines(at);
	if (error == -ENOMEM)
		return prober_out_of_memory(f);
	return error;
}

void kept_release(struct kept_place *at)
{
	for (int i = 0; i < KEPT_LISTS; i++) {
		free(at->offsets[i]);
		at->offsets[i] = NULL;
	}
}

static struct sequence *add_step(enum step_kind kind, size_t length,
				 struct kept_steps *s)
{
	struct sequence *lines = &s->lines[s->count];

	lines->length = 0;
	lines->offsets = calloc(length + 1, sizeof(*lines->offsets));
	s->failed = s->failed || !lines->offsets;
	s->steps[s->count++] = (struct walk_step){ kind, lines, 0 };
	return lines;
}

static void append(struct sequence *lines, const uint64_t *from, size_t n,
		   uint64_t apart)
{
	for (size_t i = 0; lines->offsets && i < n; i++)
		lines->offsets[lines->length++] = from[i] ^ apart;
}

void kept_step(const struct kept *k, const struct kept_place *at,
	       enum step_kind kind, enum kept_list list, size_t from, size_t n,
	       struct kept_steps *s)
{
	struct sequence *lines = add_step(kind, n * k->count, s);

	if (list == KEPT_FILL) {
		list = KEPT_PUSH;
		from += k->wanted;
	}
	for (size_t i = 0; i < k->count; i++)
		append(lines, at->offsets[list] + from, n, k->apart[i]);
}

/* It has to be asked for at the keeper, which so sees it used. */
static void use(const struct kept *k, const struct kept_place *at, size_t i,
		struct sequence *lines)
{
	append(lines, at->offsets[KEPT_SHED], at->counts[KEPT_SHED],
	       k->apart[i]);
	append(lines, at->offsets[KEPT_X], 1, k->apart[i]);
}

void kept_rounds(const struct kept *k, const struct kept_place *at,
		 enum kept_list list, size_t n, struct kept_steps *s)
{
	size_t each = (n + 1) * (at->counts[KEPT_SHED] + 2);
	size_t have = list == KEPT_PUSH ? k->wanted : at->counts[list];
	struct sequence *lines = add_step(STEP_LOAD, each * k->count, s);

	for (size_t i = 0; i < k->count; i++) {
		use(k, at, i, lines);
		for (size_t j = 0; j < n; j++) {
			if (j)
				use(k, at, i, lines);
			append(lines, at->offsets[list] + j % have, 1,
			       k->apart[i]);
		}
	}
}

int kept_observe(const struct kept *k, const struct kept_place *at,
		 struct kept_steps *s, unsigned int counter, double *values,
		 size_t *count, struct failure *f)
{
	const struct walk_plan plan = { .samples = KEPT_SAMPLES,
					.steps = s->steps,
					.step_count = s->count };
	uint64_t offsets[KEPT_LINES];
	const struct sequence x = { offsets, k->count };
	int error;

	for (size_t i = 0; i < k->count; i++)
		offsets[i] = at->offsets[KEPT_X][0] ^ k->apart[i];
	if (s->failed)
		error = prober_out_of_memory(f);
	else if (prober_stopped(k->p))
		error = -EINTR;
	else if (counter)
		error = sampler_count(
			k->p->m, &x, &plan,
			(enum machine_counter)__builtin_ctz(counter), values,
			count, f);
	else
		error = sampler_take(k->p->m, &x, &plan, values, count, f);
	for (size_t i = 0; i < s->count; i++)
		sequence_free(&s->lines[i]);
	s->count = 0;
	return error;
}

/* Are lines of a set of level @index lines of a set of each level from @first on
 * above it, and are there any?
 */
static bool shows_sets(const struct kept *k, size_t first, size_t index)
{
	const struct cache_result *c = cache(k, index);

	if (!parameter_is_measured(&c->ways) || c->ways.value < 1)
		return false;
	/* They were collected so. */
	if (!own_lines_sets_known(c))
		return c->set_line_count > 0;
	for (; first < index; first++)
		if (!own_lines_sets_known(cache(k, first)) ||
		    own_lines_way_bytes(c) %
			    own_lines_way_bytes(cache(k, first)))
			return false;
	return true;
}

/* Lines beside one another, each in sets of its own. */
static void choose_apart(struct kept *k)
{
	const struct cache_result *first = cache(k, 0);
	uint64_t room = own_lines_way_bytes(first), line = 0;

	for (size_t i = 0; i <= k->level; i++)
		if (parameter_is_measured(&cache(k, i)->line_bytes))
			line = (uint64_t)fmax((double)line,
					      cache(k, i)->line_bytes.value);
	if (room > PAGE_BYTES)
		room = PAGE_BYTES;
	k->count = 0;
	for (uint64_t at = 0; k->count < KEPT_LINES && at < room;
	     at += LINES_APART * line) {
		bool own = true;

		for (size_t i = 0; i <= k->level; i++)
			for (size_t j = 0; j < k->count; j++)
				own = own &&
				      shared_in(k->p, cache(k, i), at,
						k->apart[j]) == SHARED_NO;
		if (own || !at)
			k->apart[k->count++] = at;
	}
	/* Equal steps from one to the next would have them prefetched. */
	sequence_shuffle(&(struct sequence){ k->apart, k->count }, &k->p->rng);
}

static bool knows_below(const struct kept *k)
{
	for (size_t i = k->level + 1; i < k->h->cache_count; i++) {
		const struct cache_result *c = cache(k, i);

		if (!keeps_no_lines(c) && !knows_sets(k, c))
			return false;
	}
	return true;
}

static const char *few_lines =
	"too few lines that share a set here, and not elsewhere, are known";

/* Is a placement to be had? */
static const char *try_lists(struct kept *k)
{
	struct failure f = { .text = "" };
	int error = -ERANGE;

	for (int i = 0; error == -ERANGE && i < 4; i++) {
		struct kept_place at;

		error = kept_place(k, &at, &f);
		kept_release(&at);
	}
	return error ? few_lines : NULL;
}

/* Lines of one set differ in none of the bits that are flipped for the others. */
static bool keeps_halves(const struct kept *k)
{
	const struct cache_result *first = cache(k, 0);
	uint64_t way;

	if (!own_lines_sets_known(first) ||
	    !parameter_is_measured(&first->line_bytes))
		return false;
	way = own_lines_way_bytes(first);
	return way && (way % PAGE_BYTES == 0 || PAGE_BYTES % way == 0);
}

const char *kept_prepare(struct kept *k)
{
	const struct cache_result *c = cache(k, k->level);
	const char *why;

	if (!keeps_halves(k) || (!k->alone && !shows_sets(k, 0, k->level)) ||
	    !shows_sets(k, 0, k->level - 1) ||
	    (k->keeper > 1 && !shows_sets(k, 0, k->keeper - 1)))
		return "lines that share a set are not known";
	k->wanted = MOST_WAYS * ways_of(k, k->level);
	if (!k->alone && !own_lines_sets_known(c)) {
		size_t known = c->set_line_count - 1;

		if (known < fillers(k) + (size_t)(PUSH_LEAST * c->ways.value))
			return few_lines;
		if (known - fillers(k) < k->wanted)
			k->wanted = known - fillers(k);
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
