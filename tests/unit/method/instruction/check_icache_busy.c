// SPDX-License-Identifier: GPL-2.0
/* check_icache_busy.c - an instruction cache that the core's other thread uses for a
 * while.
 */
#include "kit/levelkit.h"
#include "kit/profilekit.h"
#include "method/instruction/icachekit.h"
#include "suites.h"

#define L2_CYCLES 14
#define LONG_MS 50
#define BYTES (UINT64_C(64) << 20)
#define PROFILE                                                         \
	"{\"name\":\"code\",\"phys_bits\":36,\"page_bytes\":4096,"      \
	"\"huge_page_bytes\":[2097152],\"caches\":[{\"level\":1,"       \
	"\"type\":\"data\",\"ways\":8,\"capacity_bytes\":32768,"        \
	"\"line_bytes\":64,\"latency_cycles\":4},{\"level\":1,"         \
	"\"type\":\"instruction\",\"ways\":8,\"capacity_bytes\":32768," \
	"\"line_bytes\":64,\"latency_cycles\":3},{\"level\":2,"         \
	"\"type\":\"unified\",\"ways\":16,\"capacity_bytes\":1048576,"  \
	"\"line_bytes\":64,\"latency_cycles\":14}],\"memory\":{"        \
	"\"latency_cycles\":200},\"timer\":{\"overhead_cycles\":20},"   \
	"\"cycle_ns\":0.5}"

/* Others disturb each sample until a pause that is longer than those between two tests. */
static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	bool gone;
} others;

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	int error = others.honest->view_walk(view, s, plan, samples, f);

	for (unsigned int i = 0; !error && i < plan->samples; i++)
		samples[i].disturbed |= !others.gone;
	return error;
}

static void pause_for(struct machine *m, unsigned int ms)
{
	others.gone |= ms >= LONG_MS;
	others.honest->pause(m, ms);
}

static void measure(bool guest, struct hierarchy *h)
{
	struct machine *m = profilekit_open(PROFILE, BYTES, levelkit_seed());

	others.honest = m->ops;
	others.ops = *m->ops;
	others.ops.view_walk = view_walk;
	others.ops.pause = pause_for;
	others.gone = false;
	m->ops = &others.ops;
	m->virtual_machine = guest;
	icache_kit_measure(m, PROBER_BY_TIME, L2_CYCLES * 0.5, levelkit_seed(),
			   h);
	machine_close(m);
}

START_TEST(unclear_at_first_in_a_guest)
{
	struct hierarchy h;

	measure(true, &h);
	ck_assert_msg(icache_kit_decided(&h), "%s", h.instruction.ways.reason);
	icache_kit_expect(&h, 8, 64, 64, levelkit_seed());
	ck_assert(others.gone);
}
END_TEST

/* Nothing but the machine itself is to blame there. */
START_TEST(unclear_on_hardware)
{
	struct hierarchy h;

	measure(false, &h);
	ck_assert(!icache_kit_decided(&h) && !others.gone);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *s = suite_create(name);
	TCase *t = tcase_create("instruction cache in use");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, unclear_at_first_in_a_guest);
	tcase_add_test(t, unclear_on_hardware);
	suite_add_tcase(s, t);
	return s;
}
