// SPDX-License-Identifier: GPL-2.0
#include "method/levels/memory_end.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "method/level/latency.h"
#include "method/level/resident_lines.h"
#include "method/levels/lost_mean.h"
#include "method/levels/place.h"
#include "method/levels/tuning.h"
#include "method/probe/lost_line.h"
#include "observe/sampler.h"

/* Lines that evict one, times the ways. */
#define EVICT_WAYS 3
/* All alike; each by chance one time in two (Wald's alpha, 1e-6). */
#define PLACES 20
/* Of the level's latency: it is there; of memory's: it is nowhere. */
#define NOT_BELOW 1.25
#define NEARLY_MEMORY 0.85
/* Placements at which it surely is in between, of the placements tried; and of the samples
 * those that may be disturbed, at either end.
 */
#define BETWEEN 3
#define ONE_OFF 0.2
/** enum fate - where a line is found that is not in the level any more */
enum fate {
	UNCLEAR,
	IN_MEMORY,
	IN_BETWEEN,
};

/* The line, after @n other lines; its translation is there.
 * @loaded: else it is in memory
 */
static int time_line(const struct place *at, size_t n, bool loaded,
		     struct readings *r, struct failure *f)
{
	const struct lost_line l = { .line = at->line,
				     .neighbour = at->neighbour,
				     .others = at->evict,
				     .count = at->evicting };

	return lost_line_time(at->p, &l, n, loaded, END_SAMPLES, r, f);
}

/* One sample in between may be disturbed; the rest hit or come from memory, if lines
 * are evicted at random.
 */
static enum fate fate_of(const struct readings *r, double here, double nowhere)
{
	size_t lost = 0, between = 0;

	for (size_t i = 0; i < r->count; i++) {
		lost += r->values[i] > NEARLY_MEMORY * nowhere;
		between += r->values[i] > NOT_BELOW * here &&
			   r->values[i] <= NEARLY_MEMORY * nowhere;
	}
	if (between > 1)
		return IN_BETWEEN;
	return r->count && lost == r->count ? IN_MEMORY : UNCLEAR;
}

/* After one more each time, until it is lost. */
static int find_fate(const struct place *at, double here, double memory,
		     enum fate *fate, struct failure *f)
{
	struct readings r;
	double nowhere;
	int error = time_line(at, at->evicting, false, &r, f);

	*fate = UNCLEAR;
	nowhere = r.count ? statistics_quantile(r.values, r.count, 0) : 0;
	if (error || nowhere < LEVEL_END_SHARE * memory)
		return error;
	for (size_t n = 1; *fate == UNCLEAR && n <= at->evicting; n++) {
		error = time_line(at, n, true, &r, f);
		if (error)
			return error;
		*fate = fate_of(&r, here, nowhere);
	}
	return 0;
}

/* How far samples may be off: above the least, of a line that is still there, and
 * by steps of the clock.
 */
static int find_spread(const struct place *at, double *spread,
		       struct failure *f)
{
	const struct timer_info *t = &at->p->m->timer;
	struct readings r;
	int error = time_line(at, 1, true, &r, f);

	*spread = r.count ? statistics_peek(r.values, r.count, 0.5) -
				    statistics_peek(r.values, r.count, 0) +
				    t->resolution_ticks + t->spread_ticks :
			    INFINITY;
	return error;
}

/* What a line takes that all other lines have evicted, at most: in the level below.
 * Its translation is there, which lists that hit in that level may miss; but it
 * may have gone to memory, which they have not.
 */
static int find_most(const struct place *at, double nowhere, double *most,
		     struct failure *f)
{
	struct readings r;
	int error = 0;

	*most = NEARLY_MEMORY * nowhere;
	if (!isfinite(at->next_ticks))
		return 0;
	error = time_line(at, at->evicting, true, &r, f);
	if (!error)
		*most = r.count ? PLACE_FAR_ABOVE *
					  fmin(at->next_ticks,
					       statistics_peek(r.values,
							       r.count, 0.5)) :
				  0;
	return error;
}

/* Is there a number of other lines after which nearly all samples are in between?
 * VOID: none was found, but what lies near is hidden by how far samples are off.
 */
static int find_between(const struct place *at, double here, double memory,
			enum outcome *outcome, struct failure *f)
{
	double nowhere, least, most = 0, spread = INFINITY;
	struct readings r;
	int error = time_line(at, at->evicting, false, &r, f);

	*outcome = OUTCOME_OPEN;
	nowhere = r.count ? statistics_peek(r.values, r.count, 0) : 0;
	if (!error && nowhere >= LEVEL_END_SHARE * memory)
		error = find_spread(at, &spread, f);
	if (!error && isfinite(spread))
		error = find_most(at, nowhere, &most, f);
	least = (isfinite(at->next_ticks) ? PLACE_FAR_BELOW : NOT_BELOW) *
			here +
		spread;
	most -= spread;
	for (size_t n = 1; !error && isfinite(spread) &&
			   *outcome != OUTCOME_DECIDED && n <= at->evicting;
	     n++) {
		error = time_line(at, n, true, &r, f);
		*outcome =
			outcome_if(!error && r.count &&
					   statistics_peek(r.values, r.count,
							   ONE_OFF) > least &&
					   statistics_peek(r.values, r.count,
							   1 - ONE_OFF) <= most,
				   OUTCOME_OPEN);
	}
	if (*outcome == OUTCOME_OPEN && spread > (PLACE_FAR_BELOW - 1) * here)
		*outcome = OUTCOME_VOID;
	return error;
}

/* At least, if the core's clock runs at another pace by now. */
static double hit_ticks_of(const struct place *at, const struct cache_result *c)
{
	const double cycle = sampler_cycle_ticks(at->p->m);
	double ticks = prober_load_ticks(at->p, c->latency_ns.value);

	if (cycle > 0 && parameter_is_measured(&c->latency_cycles))
		ticks = fmax(ticks, cycle * c->latency_cycles.value +
					    at->p->page_ticks);
	return ticks;
}

static int ask_memory(struct place *at, const struct cache_result *c,
		      double memory, enum outcome *outcome, struct failure *f)
{
	int places = 0, unclear = 0;

	if (!budget_draw(&at->p->budget, ldexp(1, -PLACES)))
		return 0;
	while (places < PLACES && unclear < END_MOST_UNCLEAR) {
		enum fate fate;
		int error;

		if (!place_next(at, c, places))
			return 0;
		error = find_fate(at, hit_ticks_of(at, c), memory, &fate, f);
		if (error || fate == IN_BETWEEN)
			return error;
		places += fate == IN_MEMORY;
		unclear += fate == UNCLEAR;
	}
	*outcome = outcome_if(places == PLACES, OUTCOME_OPEN);
	return 0;
}

/* The same by means of several lines: where samples of one are off by too much, or few
 * placements show a level. Not above memory: what keeps some lines and sends others
 * there is no level.
 */
static int ask_means(struct place *at, const struct cache_result *c,
		     double memory, enum outcome *outcome, struct failure *f)
{
	int found = 0, hidden = 0;
	double below;
	int error = lost_mean_control(at->p, at->control, &below, f);

	below = fmin(below, at->next_ticks);
	for (int i = 0;
	     !error && found < BETWEEN && i - found <= BETWEEN_TRIES - BETWEEN;
	     i++) {
		enum outcome between;

		if (!place_lines(at, resident_lines_way_bytes(c), true))
			return 0;
		error = lost_mean_between(at, hit_ticks_of(at, c), memory,
					  below, &between, f);
		found += between == OUTCOME_DECIDED;
		hidden += between == OUTCOME_VOID;
	}
	if (found == BETWEEN)
		*outcome = OUTCOME_DECIDED;
	else if (hidden > BETWEEN_TRIES - BETWEEN)
		*outcome = OUTCOME_VOID;
	return error;
}

static int ask_level(struct place *at, const struct cache_result *c,
		     double memory, enum outcome *outcome, struct failure *f)
{
	int found = 0, hidden = 0;

	for (int i = 0; found < BETWEEN && i < BETWEEN_TRIES; i++) {
		enum outcome between;
		int error;

		if (!place_next(at, c, i))
			return 0;
		error = find_between(at, hit_ticks_of(at, c), memory, &between,
				     f);
		if (error)
			return error;
		found += between == OUTCOME_DECIDED;
		hidden += between == OUTCOME_VOID;
	}
	*outcome = outcome_if(found == BETWEEN, OUTCOME_OPEN);
	if (!at->control || found == BETWEEN || !(found || hidden))
		return 0;
	return ask_means(at, c, memory, outcome, f);
}

typedef int (*end_question)(struct place *at, const struct cache_result *c,
			    double memory, enum outcome *outcome,
			    struct failure *f);

static int ask(struct place at, const struct cache_result *c,
	       double memory_ticks, end_question question,
	       enum outcome *outcome, struct failure *f)
{
	struct prober *p = at.p;
	int error;

	*outcome = OUTCOME_OPEN;
	if (!resident_lines_sets_known(c) || !isfinite(memory_ticks) ||
	    !parameter_is_measured(&c->latency_ns) ||
	    resident_lines_way_bytes(c) % PLACE_PAGE_BYTES ||
	    NOT_BELOW * prober_load_ticks(p, c->latency_ns.value) >
		    LEVEL_END_SHARE * memory_ticks)
		return 0;
	prober_progress(p, "L%d: whether memory lies below", c->level);
	at.evicting = EVICT_WAYS * (size_t)c->ways.value;
	at.evict = calloc(at.evicting, sizeof(*at.evict));
	if (!at.evict)
		return prober_out_of_memory(f);
	error = question(&at, c, memory_ticks, outcome, f);
	p->tests++;
	free(at.evict);
	return error;
}

int level_end_is_memory(struct prober *p, const struct cache_result *c,
			double memory_ticks, enum outcome *outcome,
			struct failure *f)
{
	const struct place at = { .p = p, .next_ticks = INFINITY };

	return ask(at, c, memory_ticks, ask_memory, outcome, f);
}

int level_end_is_level(struct prober *p, const struct cache_result *c,
		       double memory_ticks, double next_ticks,
		       const struct shape *control, enum outcome *outcome,
		       struct failure *f)
{
	const struct place at = { .p = p,
				  .next_ticks = next_ticks,
				  .control = control };

	return ask(at, c, memory_ticks, ask_level, outcome, f);
}

int level_end_of_set(struct prober *p, const struct cache_result *c,
		     double memory_ticks, enum outcome *outcome,
		     struct failure *f)
{
	double ticks = 0;
	int error = 0;

	if (c->set_line_count)
		error = xray_time_lines(p, c->set_lines, c->set_line_count,
					&ticks, f);
	*outcome = outcome_if(ticks > LEVEL_END_SHARE * memory_ticks,
			      OUTCOME_OPEN);
	return error;
}
