// SPDX-License-Identifier: GPL-2.0
#include <math.h>

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
/* Elements that hit, one to a line as those of a test. Lines that are full of
 * the shortest instructions leave what keeps decoded instructions too small for
 * most of them, as it is for the lines of one set: 256 lines have some 10,000
 * instructions on x86 (kept are 6,912 at most, Zen 4), and 4,096 on arm64
 * (3,072, Cortex-X1). A few by counters, which count no such thing, and where
 * those do not fit: no cache that small has anything before it.
 */
#define CONTROL_PAGES 16
#define CONTROL_PAGE_BYTES 4096
#define CONTROL_LINES 256
#define CONTROL_FEW 64
/* Twice as many lines that fit take hardly longer, nor do those of other pages;
 * where they miss, each of them costs half as much again at least.
 */
#define STEADY 1.15
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

static struct shape lines_in_a_row(size_t count)
{
	return (struct shape){ .inner = 1,
			       .stride = VIEW_CODE_BYTES,
			       .outer = count };
}

/* As many lines of each set, in pages of 4 KiB of which any TLB has room for
 * that many.
 */
static struct shape lines_of_pages(size_t count)
{
	const size_t row = count / CONTROL_PAGES;

	return (struct shape){ .inner = row,
			       .inner_stride = VIEW_CODE_BYTES,
			       .stride = CONTROL_PAGE_BYTES +
					 row * VIEW_CODE_BYTES,
			       .outer = CONTROL_PAGES };
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
	c->x.reference.control = lines_in_a_row(CONTROL_FEW);
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

/* Other work only adds time. */
static int least_time(struct icache *c, const struct shape *w, double *ticks,
		      struct failure *f)
{
	*ticks = INFINITY;
	for (int i = 0; i < CONTROL_TRIES; i++) {
		double t = 0;
		int error = prober_time(&c->p, w, 0, &t, f);

		if (error)
			return error;
		*ticks = fmin(*ticks, t);
	}
	return 0;
}

/* Do many lines in a row take no longer than half as many, beside each other in any of
 * several tries? Other work seldom slows down both.
 * @lead: bytes in front of each element, which is the shorter for it; 0: it fills its
 *        line
 */
static int many_are_steady(struct icache *c, uint64_t lead, bool *steady,
			   struct failure *f)
{
	struct shape many = lines_in_a_row(CONTROL_LINES);
	struct shape half = lines_in_a_row(CONTROL_LINES / 2);
	int error = 0;

	many.lead = half.lead = lead;
	*steady = false;
	for (int i = 0; !error && !*steady && i < CONTROL_TRIES; i++) {
		double all = 0, ticks = 0;

		error = prober_time(&c->p, &many, 0, &all, f);
		if (!error)
			error = prober_time(&c->p, &half, 0, &ticks, f);
		*steady = all <= STEADY * ticks;
	}
	return error;
}

/*
 * Many lines that take longer than half as many may be too many for the cache, or for
 * what keeps decoded instructions (a Zen 4: a third longer), at about the same cost. As
 * many short elements are as many lines of the cache, but far fewer instructions: where
 * those are kept that are decoded, they take no longer.
 */
static int count_control(struct icache *c, size_t *lines, struct failure *f)
{
	bool steady = true;
	int error = 0;

	*lines = CONTROL_FEW;
	if (xray_counter(&c->x))
		return 0;
	error = many_are_steady(c, 0, &steady, f);
	if (!error && !steady)
		error = many_are_steady(c, VIEW_SLOT_BYTES, &steady, f);
	if (steady)
		*lines = CONTROL_LINES;
	return error;
}

/*
 * Going to another page may cost cycles (three on a Zen 5, at times), which every
 * test pays: where that is all it costs, the control pays it, too.
 * c->x.hit_ticks: the time of one of its lines
 */
static int choose_control(struct icache *c, struct failure *f)
{
	size_t lines = CONTROL_FEW;
	int error = count_control(c, &lines, f);
	struct shape row = lines_in_a_row(lines);
	struct shape spread = lines_of_pages(lines);
	double ticks = 0;

	c->x.reference.control = row;
	c->x.reference.twin_lines = lines;
	if (!error)
		error = least_time(c, &row, &c->x.hit_ticks, f);
	if (error || lines == CONTROL_FEW)
		return error;
	error = least_time(c, &spread, &ticks, f);
	if (error || ticks > STEADY * c->x.hit_ticks)
		return error;
	c->x.reference.control = spread;
	c->x.hit_ticks = ticks;
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
	int error = choose_control(c, f);

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
