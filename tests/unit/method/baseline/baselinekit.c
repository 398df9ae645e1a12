// SPDX-License-Identifier: GPL-2.0
#include "method/baseline/baselinekit.h"

#include <errno.h>
#include <stdio.h>

#include "kit/profilekit.h"
#include "suites.h"

static void write_cache(char *text, size_t size, const struct baseline_cache *c,
			int i)
{
	snprintf(text, size,
		 "%s{\"level\":%d,\"type\":\"%s\",\"capacity_bytes\":%u,"
		 "\"ways\":%u,\"line_bytes\":%u,\"latency_cycles\":%u,"
		 "\"policy\":{\"name\":\"%s\"},\"index\":%s}",
		 i ? "," : "", i + 1, i ? "unified" : "data", c->kib * 1024,
		 c->ways, c->line, c->latency, c->policy,
		 c->index ? c->index : "{\"kind\":\"linear\"}");
}

/* @more: of the profile, from a comma on */
struct machine *baselinekit_open(const struct baseline_cache *caches,
				 const char *more, uint64_t bytes)
{
	char text[2000] = "{\"caches\":[";

	for (int i = 0; i < BASELINEKIT_CACHES && caches[i].kib; i++)
		write_cache(text + strlen(text), sizeof(text) - strlen(text),
			    &caches[i], i);
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		 "],\"phys_bits\":36,\"page_bytes\":4096,"
		 "\"memory\":{\"latency_cycles\":200}%s}",
		 more);
	return profilekit_open(text, bytes, 1);
}

struct side_result baselinekit_measure(baseline_method *says, struct machine *m)
{
	struct failure f = { .text = "" };
	struct side_result r;
	struct prober p;

	prober_begin(&p, m, 1);
	ck_assert_msg(!says(&p, &r, &f), "%s", f.text);
	ck_assert(r.complete);
	return r;
}

void baselinekit_check_value(const char *what, size_t level,
			     const struct parameter *p, double wanted)
{
	ck_assert_msg(parameter_is_measured(p) == (wanted > 0),
		      "%s of L%zu: %g, %s", what, level, p->value, p->reason);
	ck_assert_msg(!(wanted > 0) || p->value == wanted,
		      "%s of L%zu: %g instead of %g", what, level, p->value,
		      wanted);
	ck_assert_msg(wanted > 0 || strlen(p->reason) > 0, "%s of L%zu", what,
		      level);
}

void baselinekit_check(const struct side_result *r,
		       const struct baseline_found *wanted, size_t count)
{
	ck_assert_uint_eq(r->cache_count, count);
	for (size_t i = 0; i < count; i++) {
		const struct side_level *level = &r->caches[i];

		baselinekit_check_value("capacity", i + 1,
					&level->capacity_bytes,
					wanted[i].bytes);
		baselinekit_check_value("line", i + 1, &level->line_bytes,
					wanted[i].line);
		baselinekit_check_value("ways", i + 1, &level->ways,
					wanted[i].ways);
		ck_assert_int_eq(level->latency_cycles.status,
				 PARAMETER_UNAVAILABLE);
	}
}

void baselinekit_check_machine(baseline_method *says, struct machine *m,
			       const struct baseline_found *wanted,
			       size_t count)
{
	struct side_result r = baselinekit_measure(says, m);

	baselinekit_check(&r, wanted, count);
	ck_assert(parameter_is_measured(&r.levels));
	ck_assert(r.levels.value == (double)count);
	side_result_free(&r);
	machine_close(m);
}

/** struct stopper - interrupts when progress says so */
struct stopper {
	volatile sig_atomic_t stop;
	const char *at;
};

static void stop_at(void *context, const char *what, double done)
{
	struct stopper *s = context;

	(void)done;
	if (strstr(what, s->at))
		s->stop = 1;
}

struct side_result baselinekit_interrupt(baseline_method *says,
					 struct machine *m, const char *at)
{
	struct stopper stopper = { .at = at };
	struct failure f = { .text = "" };
	struct side_result r;
	struct prober p;

	prober_begin(&p, m, 1);
	p.stop = &stopper.stop;
	p.progress = stop_at;
	p.progress_context = &stopper;
	ck_assert_int_eq(says(&p, &r, &f), -EINTR);
	ck_assert(!r.complete);
	machine_close(m);
	return r;
}
