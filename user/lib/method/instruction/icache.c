// SPDX-License-Identifier: GPL-2.0
#include "method/instruction/tuning.h"
#include "method/stride/stride.h"
#include "method/instruction/icache.h"

#include "method/counter/selftest.h"
#include "observe/sampler.h"
#include "result/outcome.h"

/* Far more than any first level, in as few pages as can be: translations of
 * code are few.
 */
#define ROOM_BYTES (UINT64_C(8) << 20)
/* One page of so much is as good as memory known to be contiguous. */
#define ROOM_OF_A_PAGE (UINT64_C(512) << 10)
/* Share of jumps that may miss where all should hit. */
#define STRAY_MISSES 0.05

/* --- pages --------------------------------------------------------------- */

static int open_pages(struct icache *c, uint64_t page_bytes, uint64_t pages,
		      struct failure *f)
{
	const struct view_request r = { .page_bytes = page_bytes,
					.pages = pages,
					.frames = pages,
					.executable = true,
					.code = VIEW_FULL_RETURNS };
	int error = view_machine_open(&c->pages, c->outer->m, &r, f);

	if (error)
		c->pages.view = NULL;
	return error;
}

/* Large pages first, then fewer of them. */
static int open_some(struct icache *c, struct failure *f)
{
	const struct machine *m = c->outer->m;
	int error = -EOPNOTSUPP;

	for (size_t i = m->view_page_count; error && i-- > 0;) {
		uint64_t page = m->view_page_bytes[i];

		if (page > ROOM_BYTES)
			continue;
		error = open_pages(c, page, ROOM_BYTES / page, f);
		if (error && page >= ROOM_OF_A_PAGE)
			error = open_pages(c, page, 1, f);
	}
	return error;
}

static void begin(struct icache *c)
{
	const struct view *view = c->pages.view;
	uint64_t page = view->request.page_bytes;

	c->p = *c->outer;
	c->p.m = &c->pages.machine;
	c->p.word_bytes = VIEW_SLOT_BYTES;
	c->p.counters = 0;
	c->p.sample_loads = SAMPLE_RETURNS;
	c->p.cycle_ticks = sampler_cycle_ticks(c->p.m);
	c->p.arena_offset = 0;
	c->p.arena_bytes = c->pages.machine.region.bytes;
	c->scattered = !view->contiguous && page < ROOM_OF_A_PAGE;
	if (!view->contiguous && !c->scattered)
		c->p.arena_bytes = page;
	c->scope = budget_open(&c->p.budget);
	xray_prepare(&c->x, &c->p, NULL, 0);
	c->x.reference.control = icache_least_control();
	c->x.reference.code_bytes = VIEW_CODE_BYTES;
	c->x.reference.line_bytes = VIEW_CODE_BYTES;
}

static void end(struct icache *c)
{
	struct prober *to = c->outer;

	to->rng = c->p.rng;
	to->tests = c->p.tests;
	budget_close(&c->p.budget, &c->scope);
	to->budget = c->p.budget;
	to->sampled_loads = c->p.sampled_loads;
	to->disturbed_samples = c->p.disturbed_samples;
	view_machine_close(&c->pages);
}

/* --- what distinguishes hits from misses ----------------------------------------- */

static int trust_counter(struct prober *p, bool *trusted, struct failure *f)
{
	const unsigned int bit = 1U << COUNTER_L1I_MISS;
	struct counter_check check = { .state = COUNTER_MISSING };
	int error;

	*trusted = false;
	if (p->by == PROBER_BY_TIME || !(p->m->counters & bit))
		return 0;
	error = counter_selftest(p, COUNTER_L1I_MISS, &check, f);
	if (error)
		return error;
	*trusted = check.state == COUNTER_BELIEVED;
	if (!*trusted)
		prober_distrust(p, bit, "%s", check.reason);
	return 0;
}

/* One that counts other events counts them where nothing misses. */
static int choose_counter(struct icache *c, bool trusted, struct failure *f)
{
	const struct shape *near = &c->x.reference.control;
	double misses = 0;
	int error;

	if (!trusted)
		return 0;
	c->p.counters = c->x.reference.counter = 1U << COUNTER_L1I_MISS;
	error = prober_misses(&c->p, near, 0, c->p.counters, &misses, f);
	if (error == -EAGAIN) {
		prober_distrust(&c->p, c->p.counters,
				"no sample was counted undisturbed");
		return 0;
	}
	if (!error && misses > STRAY_MISSES * (double)shape_length(near))
		prober_distrust(&c->p, c->p.counters,
				"%.1f misses of %zu jumps that hit", misses,
				shape_length(near));
	return error;
}

/* --- the search ---------------------------------------------------------- */

static void report(struct icache *c)
{
	const struct xray_level *level = &c->g.level;
	struct cache_result *r = c->found;
	const double bound = xray_bound(&c->x);

	r->index = c->g.modulo ? INDEX_MODULO : INDEX_LINEAR;
	parameter_measured(&r->index_decision, 0, bound, ICACHE_METHOD);
	parameter_measured(&r->ways, (double)level->ways, bound, ICACHE_METHOD);
	parameter_measured(&r->capacity_bytes,
			   (double)(level->ways * level->way_bytes), bound,
			   ICACHE_METHOD);
	parameter_measured(&r->sets,
			   (double)level->way_bytes / r->line_bytes.value,
			   bound, ICACHE_METHOD);
}

/* Return: 0 with c->g.found: there is something to check. */
static int search(struct icache *c, const struct hierarchy *h,
		  struct failure *f)
{
	struct cache_result *r = c->found;
	int error = icache_choose_control(c, f);

	/* A line that is missed comes from L2, or costs more. */
	c->x.most_penalty_ticks = icache_below_ticks(c, h);
	c->x.reference.quiet_ticks = xray_counter(&c->x) ? 0 : c->x.hit_ticks;
	if (!error)
		error = xray_agree_on_geometry(&c->x, &c->g, f);
	if (!error && c->g.found)
		error = xray_find_line(&c->x, &c->g, &r->line_bytes, f);
	if (error)
		return error;
	if (!c->g.found) {
		icache_leave(c, "%s%s",
			     c->scattered ? "pages of code lie anywhere: " : "",
			     c->g.reason);
		return 0;
	}
	c->g.found = r->line_bytes.status == PARAMETER_MEASURED;
	if (!c->g.found)
		icache_leave(c, "%zu ways of %llu bytes, but their lines: %s",
			     c->g.level.ways,
			     (unsigned long long)c->g.level.way_bytes,
			     r->line_bytes.reason);
	else
		c->g.level.line_bytes = (uint64_t)r->line_bytes.value;
	return 0;
}

/* OUTCOME_VOID: load from elsewhere held room while it was measured. */
static int measure_once(struct icache *c, const struct hierarchy *h,
			enum outcome *outcome, struct failure *f)
{
	struct xray_recheck asked;
	size_t doubted = 1;
	int error = search(c, h, f);

	*outcome = OUTCOME_OPEN;
	if (!error && c->g.found)
		error = icache_check(c, h, f);
	if (error || !c->g.found)
		return error;
	xray_remember(&c->x, &c->g.level, &asked);
	error = xray_look_later(&asked, 1, &doubted, f);
	if (error)
		return error;
	*outcome = outcome_if(doubted, OUTCOME_VOID);
	if (!doubted) {
		icache_leave(c, "%s", XRAY_MORE_ROOM);
		return 0;
	}
	report(c);
	return icache_find_miss(c, f);
}

/* The first cache is the core's own: what its other thread does, in a guest another
 * guest's, may stop, and then what was unclear is clear.
 */
static bool may_be_clear_later(const struct icache *c, int error,
			       enum outcome outcome)
{
	const bool unclear = error == -EAGAIN ||
			     (!error && outcome == OUTCOME_OPEN && !c->g.found);

	return unclear && !xray_counter(&c->x) && c->outer->m->virtual_machine;
}

static int measure(struct icache *c, const struct hierarchy *h, bool trusted,
		   struct failure *f)
{
	enum outcome outcome = OUTCOME_VOID;
	int error = choose_counter(c, trusted, f);
	unsigned int counter = 0;

	if (!error && c->p.by == PROBER_BY_COUNTERS && !xray_counter(&c->x)) {
		icache_leave(c, "no counter of missed code is to be believed");
		return 0;
	}
	for (int i = 0; !error && outcome == OUTCOME_VOID && i < XRAY_ATTEMPTS;
	     i++) {
		counter = xray_counter(&c->x);
		c->x.begin = 0;
		error = measure_once(c, h, &outcome, f);
		/* Struck off meanwhile, for time, which needs another control. */
		if (xray_counter(&c->x) != counter && !c->g.found)
			outcome = OUTCOME_VOID;
		if (i + 1 < XRAY_ATTEMPTS &&
		    may_be_clear_later(c, error, outcome)) {
			error = 0;
			f->text[0] = '\0';
			outcome = OUTCOME_VOID;
			c->p.m->ops->pause(c->p.m, AGAIN_MS);
		}
	}
	cache_result_say_by(c->found,
			    xray_counter(&c->x) ? "counters" : "time");
	if (error != -EAGAIN && error != -ERANGE)
		return error;
	icache_leave(c, "%s",
		     error == -EAGAIN ? f->text :
					"too few executable pages for it");
	f->text[0] = '\0';
	return 0;
}

int icache_measure(struct prober *p, struct hierarchy *h, struct failure *f)
{
	struct icache c = { .outer = p };
	struct failure why = { .text = "" };
	bool trusted;
	int error;

	prober_progress(p, "L1 instruction cache");
	c.found = hierarchy_add_instruction(h);
	error = trust_counter(p, &trusted, f);
	if (error)
		return error;
	error = p->m->view_executable ? open_some(&c, &why) : -EOPNOTSUPP;
	if (error == -EINTR)
		return error;
	if (error) {
		icache_leave(
			&c, "no executable pages: %s",
			why.text[0] ?
				why.text :
				"this machine has none (use another --machine)");
		return 0;
	}
	begin(&c);
	error = measure(&c, h, trusted, f);
	end(&c);
	h->tests = p->tests;
	return error;
}
