// SPDX-License-Identifier: GPL-2.0
#include "method/instruction/frontkit.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static uint64_t set_of(const struct array *a, uint64_t address)
{
	return (address >> a->set_shift) % a->sets;
}

static bool use(struct array *a, uint64_t address)
{
	uint64_t *keys = a->keys[set_of(a, address)];
	uint64_t key = address >> a->key_shift;
	unsigned int i = 0;
	bool hit;

	while (i + 1 < a->ways && keys[i] != key)
		i++;
	hit = keys[i] == key;
	memmove(keys + 1, keys, i * sizeof(*keys));
	keys[0] = key;
	return hit;
}

static bool holds(const struct array *a, uint64_t address)
{
	const uint64_t *keys = a->keys[set_of(a, address)];

	for (unsigned int i = 0; i < a->ways; i++)
		if (keys[i] == address >> a->key_shift)
			return true;
	return false;
}

void front_empty(struct array *a, unsigned int ways, unsigned int sets,
		 unsigned int key_shift, unsigned int set_shift)
{
	a->ways = ways;
	a->sets = sets;
	a->key_shift = key_shift;
	a->set_shift = set_shift;
	memset(a->keys, 0xff, sizeof(a->keys));
}

/* What is fetched unless all of it is decoded: a part for each 8 bytes. */
static unsigned int fetch(struct front *t, uint64_t address, uint64_t bytes)
{
	bool decoded = t->has_decoded;

	for (uint64_t at = 0; t->has_decoded && at < bytes; at += FRONT_PART)
		decoded = use(&t->decoded, address + at) && decoded;
	if (decoded && (!t->inclusive || holds(&t->code, address)))
		return 0;
	if (use(&t->code, address))
		return t->has_decoded ? t->decode_cycles : 0;
	t->missed++;
	return (t->has_decoded ? t->decode_cycles : 0) + FRONT_L2_CYCLES;
}

static void fetch_in_vain(struct front *t, uint64_t address)
{
	for (unsigned int i = 1; i <= t->in_vain; i++) {
		uint64_t behind = address + ((uint64_t)i << t->code.key_shift);

		if (!t->unused || !holds(&t->code, behind))
			use(&t->code, behind);
	}
}

/* A jump that is predicted, or a return that never is. */
static unsigned int step(struct front *t, const struct view_request *r,
			 uint64_t address, uint64_t bytes)
{
	unsigned int cycles = 2;

	if (r->code != VIEW_JUMPS)
		cycles += FRONT_MISPREDICTED_CYCLES;
	else if (!use(&t->targets, address))
		cycles += t->target_cycles;
	cycles += fetch(t, address, bytes);
	fetch_in_vain(t, address);
	return cycles;
}

/* As machine.h says. */
static uint64_t element_bytes(const struct view_request *r,
			      const struct sequence *s)
{
	uint64_t bytes = VIEW_CODE_BYTES;

	if (r->code == VIEW_JUMPS)
		return FRONT_PART;
	for (size_t i = 0; i < s->length; i++)
		while (s->offsets[i] % bytes)
			bytes /= 2;
	return r->code == VIEW_RETURNS ? VIEW_SLOT_BYTES : bytes;
}

static int front_walk(struct view *view, const struct sequence *s,
		      const struct walk_plan *plan, struct sample *samples,
		      struct failure *f)
{
	struct front *t = (struct front *)view->m;
	const struct view_request *r = &view->request;
	uint64_t bytes = element_bytes(r, s);
	uint64_t rounds = (plan->loads + s->length - 1) / s->length;

	(void)f;
	rounds = rounds ? rounds : 1;
	for (unsigned int n = 0; n < plan->warm_rounds; n++)
		for (size_t i = 0; i < s->length; i++)
			step(t, r, s->offsets[i], bytes);
	for (unsigned int n = 0; n < plan->samples; n++) {
		uint64_t cycles = 0, before = t->missed;

		for (uint64_t k = 0; k < rounds; k++)
			for (size_t i = 0; i < s->length; i++)
				cycles += step(t, r, s->offsets[i], bytes);
		samples[n] = (struct sample){ .ticks = (double)cycles,
					      .loads = rounds * s->length,
					      .counted = plan->counters };
		samples[n].counts[COUNTER_L1I_MISS] =
			(double)(t->missed - before);
		view->m->conditions.samples++;
	}
	return 0;
}

/* Whatever is loaded comes from the second level. */
static int front_load(struct machine *m, const struct sequence *s,
		      const struct walk_plan *plan, struct sample *samples,
		      struct failure *f)
{
	const uint64_t rounds = (plan->loads + s->length - 1) / s->length;
	const uint64_t loads = (rounds ? rounds : 1) * s->length;

	(void)f;
	for (unsigned int n = 0; n < plan->samples; n++) {
		samples[n] = (struct sample){
			.ticks = (double)(FRONT_L2_CYCLES * loads),
			.loads = loads,
		};
		m->conditions.samples++;
	}
	return 0;
}

static int front_open(struct machine *m, const struct view_request *request,
		      struct view **view, struct failure *f)
{
	(void)f;
	*view = calloc(1, sizeof(**view));
	ck_assert_ptr_nonnull(*view);
	**view = (struct view){ .m = m, .request = *request };
	(*view)->contiguous = true;
	return 0;
}

static void front_close(struct view *view)
{
	free(view);
}

static double front_adds(struct machine *m, unsigned int adds)
{
	(void)m;
	return adds;
}

static void front_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

static const struct machine_ops front_ops = {
	.kind = "front",
	.walk = front_load,
	.add_chain = front_adds,
	.pause = front_pause,
	.view_open = front_open,
	.view_walk = front_walk,
	.view_close = front_close,
};

static unsigned int either(struct rng *rng, unsigned int low, unsigned int high)
{
	return low + (unsigned int)rng_below(rng, high - low + 1);
}

void front_begin(struct front *t)
{
	memset(&t->machine, 0, sizeof(t->machine));
	t->machine.ops = &front_ops;
	t->machine.timer.ticks_per_ns = 2;
	t->machine.region.bytes = FRONT_BYTES;
	t->machine.view_page_bytes[t->machine.view_page_count++] = 2 << 20;
	t->machine.view_executable = true;
	t->in_vain = 0;
	t->unused = false;
}

void front_draw(struct front *t, struct rng *rng)
{
	unsigned int block = either(rng, 4, 6);

	front_begin(t);
	front_empty(&t->code, either(rng, 1, 16), 32U << rng_below(rng, 4), 6,
		    6);
	front_empty(&t->targets, either(rng, 1, 8), 16U << rng_below(rng, 9),
		    block == 4 ? 4 : either(rng, 4, 5), block);
	/* What is decoded ends at a jump. By blocks of 32 bytes it is part of
	 * what the cache has (Intel), by 64 it need not be (AMD).
	 */
	block = either(rng, 5, 6);
	front_empty(&t->decoded, either(rng, 2, 12), 32U << rng_below(rng, 2),
		    3, block);
	t->inclusive = block == 5;
	t->has_decoded = rng_below(rng, 2);
	t->target_cycles = either(rng, 1, 20);
	t->decode_cycles = either(rng, 0, 4);
}
