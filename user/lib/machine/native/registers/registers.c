// SPDX-License-Identifier: GPL-2.0
#include "machine/native/registers/registers.h"

/* Operations of one timing: microseconds, long against the timer. */
#define OPERATIONS 4096
#define TRIALS 9

#ifdef __x86_64__
static bool has_mmx(void)
{
	return __builtin_cpu_supports("mmx");
}

static bool has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}
#endif

static const struct register_code *code_for(enum register_type type)
{
	switch (type) {
#if defined(__x86_64__) || defined(__aarch64__)
	case REGISTER_INT:
		return registers_int;
	case REGISTER_DOUBLE:
		return registers_double;
	case REGISTER_SSE:
		return registers_sse;
#endif
#ifdef __x86_64__
	case REGISTER_MMX:
		return has_mmx() ? registers_mmx : NULL;
	case REGISTER_AVX:
		return has_avx() ? registers_avx : NULL;
	case REGISTER_AVX512:
		return has_avx512() ? registers_avx512 : NULL;
#endif
	default:
		return NULL;
	}
}

double registers_chain(const struct timer *timer, enum register_type type,
		       unsigned int variables)
{
	const struct register_code *code = code_for(type);
	unsigned int times;
	double least = 0;

	if (!code || !variables || variables > REGISTERS_MOST)
		return 0;
	code += variables - 1;
	times = OPERATIONS / code->operations;
	code->run(1);
	for (int i = 0; i < TRIALS; i++) {
		uint64_t start = timer->start(timer), stop;
		double ticks;

		code->run(times);
		stop = timer->stop(timer);
		ticks = (double)(stop - start) - timer->info.overhead_ticks;
		ticks /= (double)times * code->operations;
		if (ticks > 0 && (least <= 0 || ticks < least))
			least = ticks;
	}
	return least;
}
