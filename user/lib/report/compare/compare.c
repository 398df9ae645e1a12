// SPDX-License-Identifier: GPL-2.0
#include "report/compare/compare.h"

#include <math.h>

/* Latencies are averages; the tool's own tests allow the same deviation. */
#define LATENCY_SLACK_CYCLES 0.5
#define LATENCY_SLACK 0.05
/* "Effective size can be as small as 50-75 % of actual size" (Cooper, Sandoval,
 * section VI).
 */
#define LEAST_EFFECTIVE 0.5

const char *compare_method_name(enum compare_method method)
{
	static const char *const names[COMPARE_METHODS] = {
		[COMPARE_XRAY] = "x-ray",
		[COMPARE_AMP] = "amp",
		[COMPARE_COOPER] = "cooper-sandoval",
		[COMPARE_BREAKING] = "breaking-cache",
		[COMPARE_SAAVEDRA] = "saavedra",
	};

	return names[method];
}

const char *compare_parameter_name(enum compare_parameter parameter)
{
	static const char *const names[] = {
		[COMPARE_LEVELS] = "levels",
		[COMPARE_CAPACITY] = "capacity_bytes",
		[COMPARE_EFFECTIVE] = "effective_capacity_bytes",
		[COMPARE_WAYS] = "ways",
		[COMPARE_LINE] = "line_bytes",
		[COMPARE_LATENCY] = "latency_cycles",
		[COMPARE_ENTRIES] = "entries",
	};

	return names[parameter];
}

const char *compare_verdict_name(enum compare_verdict verdict)
{
	static const char *const names[COMPARE_VERDICTS] = {
		[COMPARE_NOT_TOLD] = "not-told",   [COMPARE_MISSED] = "missed",
		[COMPARE_UNDECIDED] = "undecided", [COMPARE_RIGHT] = "right",
		[COMPARE_WRONG] = "wrong",	   [COMPARE_AGREES] = "agrees",
		[COMPARE_DIFFERS] = "differs",	   [COMPARE_ALONE] = "alone",
	};

	return names[verdict];
}

/* --- judging -------------------------------------------------------------- */

static bool same(const struct compare_row *row, double value, double other)
{
	if (row->parameter != COMPARE_LATENCY)
		return value == other;
	return fabs(value - other) <=
	       LATENCY_SLACK_CYCLES + LATENCY_SLACK * fabs(other);
}

/* Cooper-Sandoval's effective capacity is the point at which latency begins to
 * rise, so a band of values is right. X-Ray counts the lines that a program can
 * use, which is exact if the truth is.
 */
static bool fits_truth(const struct comparison *c,
		       const struct compare_row *row,
		       enum compare_method method, double value)
{
	if (row->parameter == COMPARE_EFFECTIVE &&
	    (method == COMPARE_COOPER || !c->truth->exact))
		return value >= LEAST_EFFECTIVE * row->truth &&
		       value <= row->truth;
	return same(row, value, row->truth);
}

/* Methods define effective capacity differently: X-Ray's is what fits, and where
 * latency begins to rise lies in a band below that.
 */
static bool contradict(const struct compare_row *row, enum compare_method a,
		       enum compare_method b)
{
	double x = row->cells[a].p.value, y = row->cells[b].p.value;

	if (row->parameter != COMPARE_EFFECTIVE)
		return !same(row, x, y) && !same(row, y, x);
	if (a == COMPARE_COOPER)
		return x < LEAST_EFFECTIVE * y || x > y;
	if (b == COMPARE_COOPER)
		return y < LEAST_EFFECTIVE * x || y > x;
	return x != y;
}

/* Does any other method measure something else? */
static bool is_contradicted(const struct compare_row *row,
			    enum compare_method method)
{
	for (int m = 0; m < COMPARE_METHODS; m++)
		if (m != (int)method &&
		    parameter_is_measured(&row->cells[m].p) &&
		    contradict(row, method, m))
			return true;
	return false;
}

static enum compare_verdict judge(const struct comparison *c,
				  const struct compare_row *row,
				  enum compare_method method)
{
	const struct parameter *p = &row->cells[method].p;
	bool fits;

	if (p->status == PARAMETER_UNDECIDED)
		return COMPARE_UNDECIDED;
	if (p->status != PARAMETER_MEASURED)
		return COMPARE_NOT_TOLD;
	if (!isnan(row->truth))
		fits = fits_truth(c, row, method, p->value);
	else if (row->absent)
		fits = false;
	else if (!isnan(row->consensus))
		fits = same(row, p->value, row->consensus);
	else
		return is_contradicted(row, method) ? COMPARE_DIFFERS :
						      COMPARE_ALONE;
	if (c->truth->exact)
		return fits ? COMPARE_RIGHT : COMPARE_WRONG;
	return fits ? COMPARE_AGREES : COMPARE_DIFFERS;
}

/* The capacity decides whether a method lists a level at all. */
static bool tells_existence(enum compare_parameter parameter)
{
	return parameter == COMPARE_CAPACITY ||
	       parameter == COMPARE_EFFECTIVE || parameter == COMPARE_ENTRIES;
}

/* --- consensus ------------------------------------------------------------ */

/* The baselines are read by the same rules, so they have one voice together. */
static unsigned int voices_for(const struct compare_row *row, double value,
			       bool any)
{
	unsigned int voices = 0;
	bool baseline = false;

	for (int m = 0; m < COMPARE_METHODS; m++) {
		const struct parameter *p = &row->cells[m].p;

		if (!parameter_is_measured(p) ||
		    !(any || same(row, p->value, value)))
			continue;
		if (m < COMPARE_BREAKING)
			voices++;
		else
			baseline = true;
	}
	return voices + baseline;
}

/*
 * The methods define effective capacity differently, so they have no consensus.
 */
static void find_consensus(struct compare_row *row)
{
	bool tie = false;

	row->consensus = NAN;
	if (row->parameter == COMPARE_EFFECTIVE)
		return;
	row->voices = voices_for(row, 0, true);
	for (int m = 0; m < COMPARE_METHODS; m++) {
		const struct parameter *p = &row->cells[m].p;
		unsigned int voices;

		if (!parameter_is_measured(p))
			continue;
		voices = voices_for(row, p->value, false);
		if (voices == row->agreeing && !isnan(row->consensus))
			tie = tie || !same(row, p->value, row->consensus);
		if (voices < 2 || voices <= row->agreeing)
			continue;
		row->agreeing = voices;
		row->consensus = p->value;
		tie = false;
	}
	if (!tie && !isnan(row->consensus))
		return;
	row->consensus = NAN;
	row->agreeing = 0;
}

/* --- rows ----------------------------------------------------------------- */

static double of_cache(const struct truth_cache *cache,
		       enum compare_parameter parameter)
{
	switch (parameter) {
	case COMPARE_CAPACITY:
		return cache->capacity_bytes;
	case COMPARE_EFFECTIVE:
		return cache->usable_bytes;
	case COMPARE_WAYS:
		return cache->ways;
	case COMPARE_LINE:
		return cache->line_bytes;
	default:
		return cache->latency_cycles;
	}
}

static double of_tlb(const struct truth_tlb *tlb,
		     enum compare_parameter parameter)
{
	switch (parameter) {
	case COMPARE_ENTRIES:
		return tlb->entries;
	case COMPARE_WAYS:
		return tlb->ways;
	default:
		return tlb->latency_cycles;
	}
}

static void find_truth(const struct truth *t, struct compare_row *row)
{
	size_t level = (size_t)row->level;
	const struct truth_tlb *tlb;

	row->truth = NAN;
	switch (row->where) {
	case COMPARE_HIERARCHY:
		if (t->cache_count)
			row->truth = (double)t->cache_count;
		return;
	case COMPARE_MEMORY:
		row->truth = t->memory_latency_cycles;
		return;
	case COMPARE_CACHE:
		if (level <= t->cache_count)
			row->truth =
				of_cache(&t->caches[level - 1], row->parameter);
		row->absent = t->cache_count && level > t->cache_count;
		return;
	default:
		tlb = truth_find_tlb(t, row->level, row->page_bytes);
		if (tlb)
			row->truth = of_tlb(tlb, row->parameter);
		/* A level that is not documented may still exist. */
		row->absent = !tlb && t->exact;
	}
}

/* Rows without any value are left out. */
static void add_row(struct comparison *c, const struct compare_row *wanted)
{
	bool missed[COMPARE_METHODS], told = false;
	bool exists;
	struct compare_row *row;

	if (c->row_count == COMPARE_ROWS)
		return;
	row = &c->rows[c->row_count];
	*row = *wanted;
	find_truth(c->truth, row);
	exists = !isnan(row->truth) && tells_existence(row->parameter);
	for (int m = 0; m < COMPARE_METHODS; m++) {
		struct parameter *p = &row->cells[m].p;

		*p = compare_value(c->said, m, row, &missed[m]);
		missed[m] = missed[m] && exists;
		told = told || missed[m] || p->status != PARAMETER_UNAVAILABLE;
	}
	find_consensus(row);
	for (int m = 0; told && m < COMPARE_METHODS; m++) {
		struct compare_cell *cell = &row->cells[m];

		cell->verdict = missed[m] ? COMPARE_MISSED : judge(c, row, m);
		c->counts[m][cell->verdict]++;
	}
	c->row_count += told;
}

static void add_caches(struct comparison *c)
{
	static const enum compare_parameter all[] = {
		COMPARE_CAPACITY, COMPARE_EFFECTIVE, COMPARE_WAYS, COMPARE_LINE,
		COMPARE_LATENCY
	};
	size_t levels = compare_caches(c->said);

	if (c->truth->cache_count > levels)
		levels = c->truth->cache_count;
	for (size_t level = 1; level <= levels; level++)
		for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
			add_row(c,
				&(struct compare_row){ .where = COMPARE_CACHE,
						       .level = (int)level,
						       .parameter = all[i] });
}

static void add_tlb(struct comparison *c, uint64_t page_bytes, int level)
{
	static const enum compare_parameter all[] = { COMPARE_ENTRIES,
						      COMPARE_WAYS,
						      COMPARE_LATENCY };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		add_row(c, &(struct compare_row){ .where = COMPARE_TLB,
						  .level = level,
						  .page_bytes = page_bytes,
						  .parameter = all[i] });
}

/* Only page sizes that some method reports; the truth may have more levels. */
static void add_tlbs(struct comparison *c)
{
	struct compare_place places[COMPARE_PLACES];
	size_t count = compare_tlbs(c->said, places);

	for (size_t k = 0; k < count; k++) {
		const uint64_t page_bytes = places[k].page_bytes;
		int level = places[k].level;

		add_tlb(c, page_bytes, level);
		if (k + 1 < count && places[k + 1].page_bytes == page_bytes)
			continue;
		while (truth_find_tlb(c->truth, ++level, page_bytes))
			add_tlb(c, page_bytes, level);
	}
}

void compare_make(struct comparison *c, const struct compare_said *said,
		  const struct truth *truth)
{
	*c = (struct comparison){ .said = said, .truth = truth };
	add_row(c, &(struct compare_row){ .where = COMPARE_HIERARCHY,
					  .parameter = COMPARE_LEVELS });
	add_caches(c);
	add_row(c, &(struct compare_row){ .where = COMPARE_MEMORY,
					  .parameter = COMPARE_LATENCY });
	add_tlbs(c);
}
