// SPDX-License-Identifier: GPL-2.0
/* unified_decide.c - rounds with nothing, code or data in between. */
#include "method/sharing/tuning.h"
#include "method/sharing/unified.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* All alike; each by chance one time in two (Wald's alpha, 1e-6). */
#define ROUNDS 20
/* Between nothing and data: where code has to be. */
#define LIKE_NOTHING 0.3
#define LIKE_DATA 0.7
/* Lines that the levels above keep stay whatever code does here: this
 * share at least has to be others, and of those no more than MOST_LOST be lost where
 * code takes no place, and more where it does.
 */
#define LEAST_HERE 0.3
/* A jump to a line that is not in the first level takes as long as some loads that
 * hit, each finished before the next one.
 */
#define LOADS_OF_A_JUMP 4
/* What misses where nothing comes in between, no more than which is nothing. */
#define NEARLY_NONE 0.03
#define MOST_LOST 0.5
/* Of what was swept out of the levels above, where any line is replaced at random: three
 * times as many lines as there is room for leave exp(-3).
 */
#define STAYS_ABOVE 0.05
/* What data evict misses clearly, if lines that were missing before are left out:
 * as a share of all lines, and of the cost of a miss of all lines.
 */
#define CLEARLY_SLOWER 1.3
#define MOST_STRAY 0.25
#define LEAST_MISSED 0.5

enum between {
	NOTHING,
	CODE,
	DATA,
	BETWEEN
};

/* A sample without translations. */
static int take(struct unified *q, const struct walk_plan *plan,
		unsigned int counter, double *value, struct failure *f)
{
	int error = unified_take(q, &q->loaded, plan, counter, value, f);

	if (!error && !counter)
		*value -= q->translation;
	return error;
}

/* All lines, by a counter or, 0, by time. */
static int load_again(struct unified *q, enum between what,
		      unsigned int counter, double *value, struct failure *f)
{
	struct walk_step steps[UNIFIED_STEPS + 2];
	struct walk_plan plan = { .samples = 1,
				  .counters = counter,
				  .steps = steps,
				  .step_count = unified_fill(q, steps),
				  .code = what == CODE ? q->code : NULL };

	if (what == DATA)
		steps[plan.step_count++] =
			(struct walk_step){ STEP_LOAD, &q->data, 0 };
	plan.after_code = q->touch.length > 0;
	if (plan.after_code)
		steps[plan.step_count++] =
			(struct walk_step){ STEP_LOAD, &q->touch, 0 };
	return take(q, &plan, counter, value, f);
}

/* Of all that is loaded, what missed here. */
static double missed(const struct unified *q, double value)
{
	return q->counter ? value : (value - q->hit) / (q->miss - q->hit);
}

/* What came in between may also evict lines from levels below. By time a line that
 * was missing here takes longer then; that much may be no loss of this level.
 */
static double not_of_here(const struct unified *q, const double *values)
{
	return q->counter ?
		       0 :
		       fmax(missed(q, values[NOTHING]), 0) * (q->far - q->miss);
}

/* Cost of lines that left this level, at least, as a share of a miss of all. */
static double lost(const struct unified *q, const double *values,
		   enum between what)
{
	double more = values[what] - values[NOTHING] - not_of_here(q, values);

	return q->counter ? more : more / (q->miss - q->hit);
}

/* Share of lines that data evicted from this level, at least. */
static double evicted_by_data(const struct unified *q, const double *values)
{
	double cost = lost(q, values, DATA);

	return q->counter ? cost :
			    cost * (q->miss - q->hit) / (q->far - q->hit);
}

static bool clear(const struct unified *q, const double *values)
{
	return missed(q, values[NOTHING]) < MOST_STRAY &&
	       lost(q, values, DATA) > LEAST_MISSED - MOST_STRAY &&
	       missed(q, values[DATA]) > LEAST_MISSED &&
	       (q->counter || values[DATA] > CLEARLY_SLOWER * values[NOTHING]);
}

/* Where nothing comes in between, the least of some: what takes the CPU away unseen, or
 * another thread of the core, only adds. What is there costs as little each time.
 */
static int load_undisturbed(struct unified *q, double *value, struct failure *f)
{
	int error = load_again(q, NOTHING, q->counter, value, f);

	for (int i = 1;
	     !error && i < NOTHING_LOOKS && missed(q, *value) > NEARLY_NONE;
	     i++) {
		double again = INFINITY;

		error = load_again(q, NOTHING, q->counter, &again, f);
		if (!error)
			*value = fmin(*value, again);
		/* One look is enough. */
		if (error == -EAGAIN)
			error = 0;
	}
	return error;
}

/* Lines that are loaded, and then one of them for about as long as code runs. */
static int wait_for_code(const struct unified *q, struct sequence *s,
			 struct failure *f)
{
	const size_t most = UNIFIED_LINES, code = q->data.length;
	const size_t n = (code < most ? code : most) * LOADS_OF_A_JUMP;

	s->length = q->fill.length + n;
	s->offsets = calloc(s->length + 1, sizeof(*s->offsets));
	if (!s->offsets)
		return prober_out_of_memory(f);
	for (size_t i = 0; i < s->length; i++)
		s->offsets[i] = q->fill.offsets[i < q->fill.length ? i : 0];
	return 0;
}

/* Code seems to have pushed lines out: does that long a time do the same? Another
 * thread of the core works in bursts.
 */
static int look_for_thread(struct unified *q, double nothing, bool *found,
			   struct failure *f)
{
	struct sequence s = { .offsets = NULL };
	const struct walk_step steps[] = { { STEP_LOAD, &q->fill, 0 },
					   { STEP_LOAD, &s, 0 } };
	const struct walk_plan plan = { .samples = 1,
					.counters = q->counter,
					.steps = steps,
					.step_count = 2 };
	double value = NAN;
	int error = 0;

	*found = false;
	if (!q->fill.length)
		return 0;
	error = wait_for_code(q, &s, f);
	if (!error)
		error = take(q, &plan, q->counter, &value, f);
	*found = missed(q, value) - missed(q, nothing) > LIKE_NOTHING;
	sequence_free(&s);
	/* So long a step is disturbed more often than code: it says nothing then. */
	return error == -EAGAIN ? 0 : error;
}

/* Share of what is loaded that the levels above keep, at most. */
static int find_above(struct unified *q, double *above, struct failure *f)
{
	double missing = 0;
	int error = 0;

	*above = q->kept;
	if (q->counter_above)
		error = load_again(q, NOTHING, q->counter_above, &missing, f);
	if (!error && q->counter_above)
		*above = 1 - missing;
	return error;
}

/* Share of what hits here if nothing comes in between, at least. By time what the
 * levels above keep makes up for what misses here.
 */
static double find_here(const struct unified *q, double nothing, double above)
{
	double stray = missed(q, nothing);

	if (!q->counter)
		stray += above * (q->hit - q->first) / (q->miss - q->hit);
	return 1 - above - fmax(stray, 0);
}

/* Did lines go from here? Those that the levels above lose need not be here. What was
 * swept out of these they cannot lose: if any of it is still there, it stays there.
 */
static bool leave_here(const struct unified *q, double lost, double above)
{
	if (q->sweep.length && !q->counter_above)
		above = fmin(above, STAYS_ABOVE);
	if (!q->counter)
		above *= (q->miss - q->first) / (q->miss - q->hit);
	return lost - above > MOST_LOST;
}

/* What takes nothing away, or has room for whatever comes in between. */
static bool is_safe(const struct unified *q, const struct cache_result *b)
{
	return b->inclusion == INCLUSION_NINE ||
	       b->inclusion == INCLUSION_EXCLUSIVE ||
	       unified_keeps(b, q->c->capacity_bytes.value);
}

/* Are lines that are pushed out below taken away here? By any level: what an
 * inclusive one loses all above it lose.
 */
static bool safe_below(const struct unified *q)
{
	bool safe = true;

	for (size_t i = 0; safe && i < q->below_count; i++)
		safe = is_safe(q, &q->below[i]);
	return safe;
}

static void conclude(struct unified *q, int like_code, int unclear, bool safe)
{
	struct parameter *to = &q->c->unified;

	if (unclear > MOST_UNCLEAR)
		parameter_undecided(
			to, UNIFIED_METHOD,
			"what data push out, and what code does, does not differ from what stays");
	else if (like_code && like_code < ROUNDS)
		parameter_undecided(to, UNIFIED_METHOD,
				    "code pushed data out in %d of %d rounds",
				    like_code, ROUNDS);
	else if (like_code && !safe)
		parameter_undecided(
			to, UNIFIED_METHOD,
			"code pushes data out, but it may be a level below that loses them");
	else
		parameter_measured(to, like_code > 0,
				   budget_bound(&q->p->budget, q->scope.drawn),
				   UNIFIED_METHOD);
	to->by = q->counter ? "counters" : "time";
}

static enum between like_what(const struct unified *q, const double *values,
			      double above)
{
	double more, here;

	if (!clear(q, values))
		return BETWEEN;
	more = missed(q, values[CODE]) - missed(q, values[NOTHING]);
	here = find_here(q, values[NOTHING], above);
	if (values[CODE] - values[NOTHING] >
		    LIKE_DATA * (values[DATA] - values[NOTHING]) &&
	    leave_here(q, lost(q, values, CODE), above))
		return CODE;
	if (more < LIKE_NOTHING * evicted_by_data(q, values) &&
	    here > LEAST_HERE && more < MOST_LOST * here)
		return NOTHING;
	return BETWEEN;
}

/* Code has to do the same again after data have come. A level that has just begun to
 * let lines in (DRRIP) did not while code came; and what takes the CPU away unseen
 * while lines are timed makes one sample as long as if all of them had missed.
 */
static int ask_once(struct unified *q, double above, enum between *like,
		    struct failure *f)
{
	double values[BETWEEN];
	bool thread = false;
	int error = 0;

	*like = BETWEEN;
	error = load_undisturbed(q, &values[NOTHING], f);
	for (int i = CODE; !error && i < BETWEEN; i++)
		error = load_again(q, (enum between)i, q->counter, &values[i],
				   f);
	if (error)
		return error;
	*like = like_what(q, values, above);
	if (*like == BETWEEN)
		return 0;
	error = load_again(q, CODE, q->counter, &values[CODE], f);
	if (!error && *like == CODE)
		error = look_for_thread(q, values[NOTHING], &thread, f);
	if (error || thread || like_what(q, values, above) != *like)
		*like = BETWEEN;
	return error;
}

/**
 * struct votes - of rounds
 * @like_code: code does what data do
 * @like_nothing: code does what nothing does
 * @unclear: neither
 */
struct votes {
	int like_code;
	int like_nothing;
	int unclear;
};

static int vote(struct unified *q, double above, struct votes *v,
		struct failure *f)
{
	*v = (struct votes){ 0 };
	while (v->like_code + v->like_nothing < ROUNDS &&
	       v->unclear <= MOST_UNCLEAR) {
		enum between like;
		int error = ask_once(q, above, &like, f);

		if (error && error != -EAGAIN)
			return error;
		v->like_code += !error && like == CODE;
		v->like_nothing += !error && like == NOTHING;
		v->unclear += error || like == BETWEEN;
		if (error || like == BETWEEN)
			q->p->m->ops->pause(q->p->m, UNCLEAR_PAUSE_MS);
		/* Half and half: more rounds change nothing. */
		if (v->like_code && v->like_nothing)
			break;
	}
	q->p->tests++;
	return 0;
}

/* Unclear rounds, again where lines that code pushes out are seen to be right below:
 * few others can have come from further then.
 */
static int vote_near(struct unified *q, double above, struct votes *v,
		     bool *safe, struct failure *f)
{
	const double far = q->far;
	int error = unified_find_below(q, safe, f);

	if (error || !*safe || !budget_draw(&q->p->budget, ldexp(1, -ROUNDS)))
		return error;
	q->far = q->miss + UNIFIED_STRAY_BELOW * (far - q->miss);
	error = vote(q, above, v, f);
	q->far = far;
	return error;
}

int unified_decide(struct unified *q, enum outcome *outcome, struct failure *f)
{
	bool safe = safe_below(q);
	double above = q->kept;
	struct votes v;
	int error = unified_find_translation(q, f);

	if (!error)
		error = find_above(q, &above, f);
	if (error && error != -EAGAIN)
		return error;
	*outcome = OUTCOME_OPEN;
	if (!budget_draw(&q->p->budget, ldexp(1, -ROUNDS))) {
		parameter_undecided(&q->c->unified, UNIFIED_METHOD,
				    "no error is left that rounds may have");
		return 0;
	}
	error = vote(q, above, &v, f);
	if (!error && !safe && v.unclear > MOST_UNCLEAR)
		error = vote_near(q, above, &v, &safe, f);
	else if (!error && !safe && v.like_code == ROUNDS)
		error = unified_find_below(q, &safe, f);
	if (error)
		return error;
	conclude(q, v.like_code, v.unclear, safe);
	if (v.unclear > MOST_UNCLEAR || (v.like_code && v.like_nothing))
		*outcome = OUTCOME_VOID;
	else if (parameter_is_measured(&q->c->unified))
		*outcome = OUTCOME_DECIDED;
	return 0;
}
