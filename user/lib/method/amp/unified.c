// SPDX-License-Identifier: GPL-2.0
/* unified.c - does code evict data (section 3.6)? */
#include "method/amp/share.h"

/*
 * Data: share of the level, larger where levels above would hold all of it.
 * Sweeps: multiple of the level.
 */
#define PART 4
#define MOST_PART 2
#define TIMES_ABOVE 2
#define SWEEP 2
/* Code that evicts nothing. */
#define FEW_BYTES 256

/**
 * struct sweeps - accesses between two visits to data
 * @code: executable pages; NULL: data sweeps
 * @bytes: of code or data
 * @data: bytes of the data that is visited
 */
struct sweeps {
	struct view *code;
	uint64_t bytes;
	uint64_t data;
};

/* Elements of a sequence in executable pages are the next jump targets. */
static int lay_code(struct amp_space *space, struct view *code, uint64_t bytes,
		    struct failure *f)
{
	uint64_t apart = space->unit < VIEW_SLOT_BYTES ? VIEW_SLOT_BYTES :
							 space->unit;
	const struct shape w = { .inner = 1,
				 .stride = apart,
				 .outer = (size_t)(bytes / apart) };
	const struct walk_plan plan = { .samples = 1 };
	struct machine *m = space->p->m;
	struct sample unused;
	struct sequence s;
	int error;

	if (sequence_place(&s, &w, 0))
		return prober_out_of_memory(f);
	space->accesses += s.length;
	error = m->ops->view_walk(code, &s, &plan, &unused, f);
	sequence_free(&s);
	return error;
}

/*
 * Load each line once, so that no policy prefers it to the lines that sweep;
 * then sweep by code or other data, and count misses.
 */
static int visit(struct amp_space *space, const struct sequence *data,
		 const struct sweeps *sweeps, uint64_t bytes,
		 struct readings *r, struct failure *f)
{
	struct sequence others = { .offsets = NULL };
	const struct walk_step steps[] = {
		{ .kind = STEP_FLUSH, .lines = data },
		{ .kind = STEP_LOAD, .lines = data },
		{ .kind = STEP_LOAD, .lines = &others },
	};
	const struct walk_plan plan = { .samples = PROBER_BLOCK_SAMPLES,
					.steps = steps,
					.step_count = sweeps->code ? 2 : 3,
					.code = sweeps->code };
	int error = sweeps->code ? lay_code(space, sweeps->code, bytes, f) :
				   amp_lines(space, bytes, &others, f);

	if (!error)
		error = amp_misses(space, data, &plan, r, f);
	sequence_free(&others);
	return error;
}

static int take(struct amp_share *share, struct trial_block *b,
		struct failure *f)
{
	const struct sweeps *sweeps = share->context;
	struct amp_space *space = share->space;
	struct sequence data;
	int error = amp_lines(space, sweeps->data, &data, f);

	if (error)
		return error;
	error = visit(space, &data, sweeps, sweeps->bytes, &b->of[TRIAL_TEST],
		      f);
	if (!error)
		error = visit(space, &data, sweeps, FEW_BYTES,
			      &b->of[TRIAL_CONTROL], f);
	sequence_free(&data);
	return error;
}

static void conclude(const struct amp_run *run, enum verdict verdict,
		     bool swept, double bound, struct amp_row *row)
{
	struct amp_parameter *to = &row->unified;

	if (run->wanted->decision == AMP_BY_VOTES) {
		amp_elect(to);
	} else if (verdict == VERDICT_NON_COMPACT ||
		   (verdict == VERDICT_COMPACT && swept)) {
		amp_measured(&to->p, verdict == VERDICT_NON_COMPACT, bound);
	} else {
		const bool code = amp_is_code(row);
		const char *other = code ? "data" : "code";
		const char *same = code ? "code" : "data";

		if (verdict == VERDICT_COMPACT)
			parameter_undecided(
				&to->p, AMP_METHOD,
				"neither %s nor other %s of twice the size pushes %s out",
				other, same, same);
		else
			parameter_undecided(
				&to->p, AMP_METHOD,
				"%s pushes some %s out and leaves some", other,
				same);
	}
	if (parameter_is_measured(&to->p) && to->p.value > 0 &&
	    !amp_is_code(row))
		row->type = "unified";
}

int amp_decide_unified(const struct amp_run *run,
		       const struct amp_share *by_other,
		       const struct amp_share *by_same, struct amp_row *row,
		       struct failure *f)
{
	enum verdict verdict = VERDICT_UNDECIDED, same = VERDICT_UNDECIDED;
	struct amp_space *space = by_other->space;
	struct amp_share other = *by_other, more = *by_same;
	const struct budget_scope scope = budget_open(&space->p->budget);
	uint64_t before = space->accesses;
	int votes[AMP_VOTES];
	size_t cast = 0, none;
	double bound;
	int error;

	amp_progress(space->p, row, "unified");
	error = amp_share_decide(&other, votes, &cast, &verdict, f);
	if (!error && verdict == VERDICT_COMPACT)
		error = amp_share_decide(&more, NULL, &none, &same, f);
	bound = budget_close(&space->p->budget, &scope);
	for (size_t i = 0; !error && i < cast; i++)
		amp_vote(&row->unified, votes[i]);
	row->unified.accesses = space->accesses - before;
	if (!error)
		conclude(run, verdict, same == VERDICT_NON_COMPACT, bound, row);
	return error;
}

/*
 * Bytes of data that levels which code does not sweep cannot hold; 0: too many.
 */
static uint64_t data_bytes(const struct amp_run *run,
			   const struct amp_space *space, uint64_t size)
{
	uint64_t hidden = 0;

	for (size_t i = 0; i < space->x.upper_count; i++) {
		const struct parameter *p = &run->r->caches[i].unified.p;

		if (!parameter_is_measured(p) || !(p->value > 0))
			hidden += xray_level_bytes(&space->x.upper[i]);
	}
	hidden *= TIMES_ABOVE;
	if (hidden > size / MOST_PART)
		return 0;
	return hidden > size / PART ? hidden : size / PART;
}

int amp_find_unified(const struct amp_run *run, struct amp_space *space,
		     const struct amp_geometry *g, struct amp_row *row,
		     struct failure *f)
{
	struct machine *m = space->p->m;
	struct amp_share share = { .space = space,
				   .geometry = g,
				   .take = take };
	struct sweeps by_code = { .bytes = SWEEP * g->size,
				  .data = data_bytes(run, space, g->size) };
	struct sweeps by_data = by_code;
	struct amp_share other;
	struct view_request r = { .executable = true };
	int error = -EOPNOTSUPP;

	if (!by_code.data) {
		parameter_undecided(
			&row->unified.p, AMP_METHOD,
			"levels above, which code may not sweep, hold too large a part of what it holds");
		return 0;
	}
	if (m->ops->view_open && m->view_executable && m->flushes_lines) {
		r.page_bytes = m->view_page_bytes[0];
		r.pages = (by_code.bytes + r.page_bytes - 1) / r.page_bytes;
		r.frames = r.pages;
		error = m->ops->view_open(m, &r, &by_code.code, f);
	}
	if (!error) {
		share.context = &by_data;
		other = share;
		other.context = &by_code;
		error = amp_decide_unified(run, &other, &share, row, f);
		m->ops->view_close(by_code.code);
	}
	if (error != -EOPNOTSUPP && error != -ENOSPC && error != -EAGAIN)
		return error;
	parameter_undecided(
		&row->unified.p, AMP_METHOD,
		"no view of enough pages to jump to is to be had here");
	f->text[0] = '\0';
	return 0;
}
