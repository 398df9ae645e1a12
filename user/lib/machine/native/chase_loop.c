// SPDX-License-Identifier: GPL-2.0
#include "machine/native/chase_loop.h"

#include <string.h>

void chase_lay_out(char *base, const struct sequence *s)
{
	for (size_t i = 0; i < s->length; i++) {
		char *next = base + s->offsets[(i + 1) % s->length];

		memcpy(base + s->offsets[i], &next, sizeof(next));
	}
}

/* The empty asm hides the value: no load can be folded or reordered away. */
#define LOAD(p)                     \
	p = *(void *volatile *)(p); \
	__asm__ volatile("" : "+r"(p));
#define LOAD4(p) LOAD(p) LOAD(p) LOAD(p) LOAD(p)
#define LOAD16(p) LOAD4(p) LOAD4(p) LOAD4(p) LOAD4(p)

void *chase_follow(void *p, uint64_t loads)
{
	for (; loads >= CHASE_UNIT; loads -= CHASE_UNIT) {
		LOAD16(p)
	}
	for (; loads; loads--) {
		LOAD(p)
	}
	return p;
}

/* Whole rounds with lines flushed on the way, after all loads have arrived. */
static void *follow_flushing(const struct chase_path *path, void *p,
			     uint64_t loads)
{
	for (uint64_t left = loads; left; left -= path->round) {
		uint64_t at = 0;

		for (size_t i = 0; i < path->flush_count; i++) {
			const struct walk_flush *flush = &path->flushes[i];

			p = path->follow(p, flush->at - at);
			at = flush->at;
			step_fence();
			step_flush(path->base + flush->offset);
			step_fence();
		}
		p = path->follow(p, path->round - at);
	}
	return p;
}

void *chase_path_follow(const struct chase_path *path, void *p, uint64_t loads)
{
	return path->flush_count ? follow_flushing(path, p, loads) :
				   path->follow(p, loads);
}

void *chase_timed(void *p, const struct timer *timer,
		  const struct chase_path *path, uint64_t loads,
		  struct sample *sample)
{
	uint64_t start = timer->start(timer), stop;

	p = chase_path_follow(path, p, loads);
	stop = timer->stop(timer);
	*sample = (struct sample){
		.ticks = (double)(stop - start) - timer->info.overhead_ticks,
		.loads = loads,
	};
	if (sample->ticks < 0)
		sample->ticks = 0;
	return p;
}

/* The word that is followed names itself. */
void chase_rehearse(const struct timer *timer, const struct chase_path *path,
		    uint64_t loads)
{
	void *self = &self;
	struct sample unused;

	if (path->follow != chase_follow || path->flush_count)
		return;
	chase_timed(&self, timer, path, loads, &unused);
}
