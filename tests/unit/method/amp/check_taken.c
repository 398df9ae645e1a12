// SPDX-License-Identifier: GPL-2.0
/* check_taken.c - AMP while another process takes the counters away. */
#include <stdio.h>
#include <string.h>

#include "kit/profilekit.h"
#include "kit/taker.h"
#include "method/amp/ampkit.h"
#include "suites.h"

#define BYTES (UINT64_C(16) << 20)
#define SEED 3
/* Moments at which they go, evenly over a whole measurement. */
#define MOMENTS 24
#define MOST_BEGINS 12

static const char text[] =
	"{\"counters\":[\"l1d_miss\",\"l2_miss\",\"l1i_miss\",\"dtlb_miss\","
	"\"stlb_miss\",\"itlb_miss\"],\"caches\":["
	"{\"level\":1,\"type\":\"data\",\"capacity_bytes\":4096,\"ways\":2,"
	"\"line_bytes\":64,\"latency_cycles\":3},"
	"{\"level\":1,\"type\":\"instruction\",\"capacity_bytes\":4096,"
	"\"ways\":2,\"line_bytes\":64,\"latency_cycles\":3},"
	"{\"level\":2,\"type\":\"unified\",\"capacity_bytes\":65536,"
	"\"ways\":4,\"line_bytes\":64,\"latency_cycles\":12}],\"tlbs\":["
	"{\"level\":1,\"type\":\"data\",\"page_bytes\":[4096],\"entries\":16,"
	"\"ways\":4,\"latency_cycles\":0},"
	"{\"level\":1,\"type\":\"instruction\",\"page_bytes\":[4096],"
	"\"entries\":8,\"ways\":2,\"latency_cycles\":0},"
	"{\"level\":2,\"type\":\"unified\",\"page_bytes\":[4096],"
	"\"entries\":128,\"ways\":4,\"latency_cycles\":7}],"
	"\"walk\":{\"latency_cycles\":30},"
	"\"memory\":{\"latency_cycles\":200}}";

/**
 * struct begins - at which walk each row has begun
 * @taker: who counts walks
 * @row: that was measured last
 * @at: of row after row, @count of them, and where it all ends
 */
struct begins {
	const struct taker *taker;
	char row[64];
	size_t at[MOST_BEGINS + 1];
	size_t count;
};

static void note_begin(void *context, const char *what, double done)
{
	struct begins *b = context;
	size_t row;

	(void)done;
	/* Whether the first level writes back is measured with the second. */
	if (strncmp(what, "AMP: ", 5) != 0 || strstr(what, "write-back") ||
	    b->count == MOST_BEGINS)
		return;
	row = strcspn(what + 5, ":");
	if (!strncmp(what, b->row, 5 + row + 1))
		return;
	snprintf(b->row, sizeof(b->row), "%.*s", (int)(5 + row + 1), what);
	b->at[b->count++] = b->taker->walks;
}

static void measure(struct taker *t, enum amp_decision decision,
		    struct begins *begins, struct amp_result *r)
{
	const struct amp_wanted wanted = { .caches = 3,
					   .tlbs = true,
					   .decision = decision };
	struct machine *m = profilekit_open(text, BYTES, SEED);
	struct failure f = { .text = "" };
	struct prober p;

	taker_begin(t, m);
	prober_begin(&p, m, SEED);
	if (begins) {
		*begins = (struct begins){ .taker = t };
		p.progress = note_begin;
		p.progress_context = begins;
	}
	ck_assert_msg(!amp_measure(&p, &wanted, r, &f), "%s", f.text);
	ck_assert_str_eq(f.text, "");
	machine_close(m);
}

/* All rows, caches first: the order in which they are measured. */
static struct amp_row *row_of(struct amp_result *r, size_t i)
{
	return i < r->cache_count ? &r->caches[i] :
				    &r->tlbs[i - r->cache_count];
}

static size_t rows_of(const struct amp_result *r)
{
	return r->cache_count + r->tlb_count;
}

/* Values are those of an undisturbed run; others are open, and it is said who
 * is to blame.
 */
static void check_row(struct amp_row *row, struct amp_row *right,
		      const char *when)
{
	struct amp_parameter *all[AMP_PARAMETERS], *truth[AMP_PARAMETERS];

	amp_parameters(row, all);
	amp_parameters(right, truth);
	for (int i = 0; i < AMP_PARAMETERS; i++) {
		const struct parameter *p = &all[i]->p, *t = &truth[i]->p;

		if (parameter_is_measured(p)) {
			ck_assert_msg(parameter_is_measured(t) &&
					      p->value == t->value,
				      "L%d %s %d: %g instead of %g, %s",
				      row->level, row->type, i, p->value,
				      t->value, when);
			continue;
		}
		if (!parameter_is_measured(t))
			continue;
		ck_assert_msg(strstr(p->reason, "_miss") != NULL,
			      "L%d %s %d: %s, %s", row->level, row->type, i,
			      p->reason, when);
	}
}

static struct amp_row *same_row(struct amp_result *r, const struct amp_row *as)
{
	for (size_t i = 0; i < rows_of(r); i++) {
		struct amp_row *row = row_of(r, i);

		if (row->level == as->level &&
		    row->mapped_bytes == as->mapped_bytes &&
		    amp_is_code(row) == amp_is_code(as))
			return row;
	}
	return NULL;
}

static bool is_whole(struct amp_row *row, bool tested_below)
{
	struct amp_parameter *all[AMP_PARAMETERS];

	amp_parameters(row, all);
	for (int i = 0; i < AMP_PARAMETERS; i++)
		if (all[i]->p.status == PARAMETER_UNDECIDED &&
		    (all[i] != &row->write_back || tested_below))
			return false;
	return true;
}

static void measure_all(enum amp_decision decision, struct begins *begins,
			struct amp_result *right)
{
	struct taker none = { .after = SIZE_MAX };

	measure(&none, decision, begins, right);
	ck_assert_uint_eq(rows_of(right), 6);
	for (size_t i = 0; i < rows_of(right); i++)
		ck_assert(parameter_is_measured(&row_of(right, i)->ways.p));
	ck_assert_uint_eq(begins->count, rows_of(right));
	begins->at[begins->count] = none.walks;
}

static void check_taken(struct taker *t, enum amp_decision decision,
			struct begins *begins, struct amp_result *right)
{
	struct amp_result r;
	char when[64];

	snprintf(when, sizeof(when), "taken after %zu walks", t->after);
	measure(t, decision, NULL, &r);
	for (size_t i = 0; i < rows_of(right); i++) {
		struct amp_row *row = same_row(&r, row_of(right, i));

		if (row)
			check_row(row, row_of(right, i), when);
		if (t->after < begins->at[i + 1])
			continue;
		ck_assert_msg(row && is_whole(row, t->after >= begins->at[2]),
			      "L%d %s is not whole, %s",
			      row_of(right, i)->level, row_of(right, i)->type,
			      when);
	}
}

static void take_at_all_moments(enum amp_decision decision, unsigned int every)
{
	struct begins begins;
	struct amp_result right;

	measure_all(decision, &begins, &right);
	for (size_t i = 0; i < MOMENTS; i++) {
		struct taker t = { .every = every };

		if (!is_in_part((int)i))
			continue;
		t.after = begins.at[begins.count] * i / MOMENTS;
		check_taken(&t, decision, &begins, &right);
	}
}

START_SLOW_TEST(taken_for_good)
{
	take_at_all_moments(AMP_SEQUENTIAL, 0);
}
END_TEST

START_SLOW_TEST(taken_from_votes)
{
	take_at_all_moments(AMP_BY_VOTES, 0);
}
END_TEST

START_SLOW_TEST(taken_now_and_then)
{
	take_at_all_moments(AMP_SEQUENTIAL, 2);
}
END_TEST

TCase *make_amp_taken_case(void)
{
	TCase *taken = tcase_create("taken");

	tcase_set_timeout(taken, 600);
	tcase_add_test(taken, taken_for_good);
	tcase_add_test(taken, taken_from_votes);
	tcase_add_test(taken, taken_now_and_then);
	return taken;
}
