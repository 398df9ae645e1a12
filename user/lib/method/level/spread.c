// SPDX-License-Identifier: GPL-2.0
#include "method/level/spread.h"
#include "method/level/tuning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096
#define MOST_SLOTS (PAGE_BYTES / 8)

/**
 * struct slots - places of lines in a page; the first one follows the last one,
 *	as rows go on in the next page
 * @own: those of the control itself
 * @taken: those of all controls so far, with their neighbours
 * @count: of a page
 */
struct slots {
	bool own[MOST_SLOTS];
	bool taken[MOST_SLOTS];
	size_t count;
};

static bool is_free(const struct slots *t, size_t at)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->own[i] && t->taken[(i + at) % t->count])
			return false;
	return true;
}

/* No prefetcher of neighbours may bring what another control has to miss. */
static void take(struct slots *t, size_t at)
{
	for (size_t i = 0; i < t->count; i++) {
		if (!t->own[i])
			continue;
		for (size_t by = t->count - 1; by <= t->count + 1; by++)
			t->taken[(i + at + by) % t->count] = true;
	}
}

static int list_own(struct prober *p, const struct shape *w,
		    uint64_t line_bytes, struct slots *t, struct failure *f)
{
	struct sequence q;

	*t = (struct slots){ .count = PAGE_BYTES / line_bytes };
	if (sequence_place(&q, w, p->arena_offset))
		return prober_out_of_memory(f);
	for (size_t i = 0; i < q.length; i++)
		t->own[(q.offsets[i] - p->arena_offset) % PAGE_BYTES /
		       line_bytes] = true;
	sequence_free(&q);
	return 0;
}

int spread_begin(struct prober *p, const struct shape *w, uint64_t line_bytes,
		 size_t most, struct spread *s, struct failure *f)
{
	struct slots t;
	int error;

	*s = (struct spread){ .w = *w, .count = 1 };
	if (line_bytes >= PAGE_BYTES / 2)
		return 0;
	error = list_own(p, w, line_bytes, &t, f);
	if (error)
		return error;
	take(&t, 0);
	for (int i = 0;
	     i < SPREAD_TRIES && s->count < most && s->count < SPREAD_MOST &&
	     (s->count + 1) * shape_length(w) <= SPREAD_LINES;
	     i++) {
		size_t at = rng_below(&p->rng, t.count);

		if (!is_free(&t, at))
			continue;
		take(&t, at);
		s->apart[s->count++] = at * line_bytes;
	}
	return 0;
}

static int build_parts(struct prober *p, const struct spread *s, uint64_t base,
		       struct sequence *parts, struct failure *f)
{
	for (size_t i = 0; i < s->count; i++) {
		int error = prober_build(p, &s->w, base + s->apart[i],
					 &parts[i], f);

		if (error)
			return error;
	}
	return 0;
}

/* Each control keeps its order, which sweeps the levels above. */
static void merge(struct prober *p, const struct spread *s,
		  const struct sequence *parts, struct sequence *q)
{
	size_t next[SPREAD_MOST] = { 0 }, length = parts[0].length;

	for (size_t i = 0; i < q->length; i++) {
		size_t part = i % s->count;

		while (s->mixed) {
			part = rng_below(&p->rng, s->count);
			if (rng_below(&p->rng, length) >= next[part])
				break;
		}
		q->offsets[i] = parts[part].offsets[next[part]++];
	}
}

int spread_build(struct prober *p, const struct spread *s, struct sequence *q,
		 struct failure *f)
{
	struct sequence parts[SPREAD_MOST] = { { .offsets = NULL } };
	struct shape room = s->w;
	uint64_t base;
	int error;

	*q = (struct sequence){ .length = s->count * shape_length(&s->w) };
	room.lead += 2 * PAGE_BYTES;
	if (!prober_choose_base(p, &room, &base))
		return -ERANGE;
	base = (base + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	error = build_parts(p, s, base, parts, f);
	if (!error) {
		q->offsets = calloc(q->length, sizeof(*q->offsets));
		error = q->offsets ? 0 : prober_out_of_memory(f);
	}
	if (!error) {
		merge(p, s, parts, q);
		error = sequence_check(q);
	}
	for (size_t i = 0; i < s->count; i++)
		sequence_free(&parts[i]);
	if (error)
		sequence_free(q);
	return error == -EEXIST ? -ERANGE : error;
}
