// SPDX-License-Identifier: GPL-2.0
/* check_registers.c - the search for the last register, and the clock. */
#include <stdlib.h>

#include "base/rng.h"
#include "machine/native/registers/registers.h"
#include "method/core/registers.h"
#include "suites.h"

/**
 * struct fake - a machine that has nothing but registers
 * @machine: what the method sees
 * @rng: of the noise
 * @count: registers
 * @longest: variables of the longest chain that was compiled
 * @spill: cycles that a round pays for each variable too many
 * @noise: share of an operation that a timing is too long, at most
 * @noisy: timings that are so; 0: all
 * @clock: share that the clock moves by, back and forth
 * @chains: additions timed
 */
struct fake {
	struct machine machine;
	struct rng rng;
	unsigned int count;
	unsigned int longest;
	double spill;
	double noise;
	unsigned int noisy;
	double clock;
	unsigned int chains;
};

static double chain(struct machine *m, enum register_type type, unsigned int n)
{
	struct fake *k = (struct fake *)m;
	double t = 20;

	if (type != REGISTER_INT || n > k->longest)
		return 0;
	if (n > k->count)
		t += k->spill * (n - k->count) / n;
	t *= 1 + k->noise * rng_uniform(&k->rng);
	if (k->noisy && !--k->noisy)
		k->noise = 0;
	return t;
}

static double add_chain(struct machine *m, unsigned int adds)
{
	struct fake *k = (struct fake *)m;

	return adds * (1 + k->clock * (k->chains++ / 5 % 2));
}

static void no_pause(struct machine *m, unsigned int ms)
{
	(void)m;
	(void)ms;
}

static const struct machine_ops fake_ops = {
	.kind = "fake",
	.add_chain = add_chain,
	.pause = no_pause,
	.register_chain = chain,
};

static struct fake fake_machine(unsigned int count)
{
	return (struct fake){
		.machine = { .ops = &fake_ops, .timer = { .ticks_per_ns = 2 } },
		.rng = { 5 },
		.count = count,
		.longest = 600,
		.spill = 5,
	};
}

static struct hierarchy measure(struct fake *k)
{
	struct failure f = { .text = "" };
	struct hierarchy h;
	struct prober p;

	hierarchy_init(&h);
	prober_begin(&p, &k->machine, 1);
	ck_assert_int_eq(registers_measure(&p, &h, &f), 0);
	ck_assert_int_eq(frequency_measure(&p, &h), 0);
	ck_assert_uint_eq(h.register_count, REGISTER_TYPES);
	return h;
}

START_TEST(every_count_is_found)
{
	for (unsigned int count = 1; count <= 128; count++) {
		struct fake k = fake_machine(count);
		struct hierarchy h = measure(&k);
		const struct parameter *p = &h.registers[0].available;

		ck_assert_msg(p->status == PARAMETER_MEASURED &&
				      p->value == count,
			      "%u registers: %s", count, p->reason);
		ck_assert_int_eq(h.registers[1].available.status,
				 PARAMETER_UNAVAILABLE);
	}
}
END_TEST

START_TEST(noise_does_not_mislead)
{
	for (unsigned int i = 0; i < 200; i++) {
		struct fake k = fake_machine(5 + i % 28);
		struct hierarchy h;

		k.rng.state = i;
		k.noise = 0.0005 * i;
		h = measure(&k);
		ck_assert(h.registers[0].available.status !=
				  PARAMETER_MEASURED ||
			  h.registers[0].available.value == k.count);
	}
}
END_TEST

/* A search that began in noise is made again. */
START_TEST(noise_that_ends_is_waited_for)
{
	for (unsigned int i = 1; i <= 50; i++) {
		struct fake k = fake_machine(5 + i % 28);
		struct hierarchy h;

		k.rng.state = i;
		k.noise = 0.5;
		k.noisy = 40;
		h = measure(&k);
		ck_assert_msg(h.registers[0].available.value == k.count, "%s",
			      h.registers[0].available.reason);
	}
}
END_TEST

START_TEST(what_is_not_seen_is_undecided)
{
	struct fake renamed = fake_machine(15), many = fake_machine(200);
	struct hierarchy h;

	renamed.spill = 0;
	h = measure(&renamed);
	ck_assert_int_eq(h.registers[0].available.status, PARAMETER_UNDECIDED);
	many.longest = 40;
	h = measure(&many);
	ck_assert_int_eq(h.registers[0].available.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(
		strstr(h.registers[0].available.reason, "no code"));
}
END_TEST

START_TEST(clock_is_measured_when_steady)
{
	struct fake k = fake_machine(8);
	struct hierarchy h = measure(&k);

	ck_assert_int_eq(h.frequency_hz.status, PARAMETER_MEASURED);
	ck_assert(h.frequency_hz.value == 2e9);
	k.clock = 0.03;
	h = measure(&k);
	ck_assert_int_eq(h.frequency_hz.status, PARAMETER_UNDECIDED);
	ck_assert_ptr_nonnull(strstr(h.frequency_hz.reason, "wandered"));
}
END_TEST

/* All code that was compiled runs, and longer chains are not refused. */
START_TEST(compiled_chains_run)
{
	struct timer timer;
	struct failure f;

	if (timer_choose(&timer, &f)) {
		cannot_do("chains", "cpu cannot: %s", f.text);
		return;
	}
	for (int type = 0; type < REGISTER_TYPES; type++) {
		bool has = registers_chain(&timer, type, 1) > 0;

		for (unsigned int n = 2; n <= REGISTERS_MOST; n++)
			ck_assert((registers_chain(&timer, type, n) > 0) ==
				  has);
		ck_assert(registers_chain(&timer, type, REGISTERS_MOST + 1) ==
			  0);
		ck_assert(registers_chain(&timer, type, 0) == 0);
	}
	timer_release(&timer);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("registers");

	tcase_set_timeout(t, 120);
	tcase_add_test(t, every_count_is_found);
	tcase_add_test(t, noise_does_not_mislead);
	tcase_add_test(t, noise_that_ends_is_waited_for);
	tcase_add_test(t, what_is_not_seen_is_undecided);
	tcase_add_test(t, clock_is_measured_when_steady);
	tcase_add_test(t, compiled_chains_run);
	suite_add_tcase(suite, t);
	return suite;
}
