// SPDX-License-Identifier: GPL-2.0
#include "tsc.h"

#if defined(__x86_64__)
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <time.h>
#include <ucontext.h>

#define NS_PER_S INT64_C(1000000000)

/* Of the kernel's code in this process, which is to see the host's counter. */
#define VDSO_BYTES 16384

/* Both have the counter in EDX:EAX. */
static int instruction_bytes(const uint8_t *code)
{
	static const uint8_t rdtsc[] = { 0x0f, 0x31 };
	static const uint8_t rdtscp[] = { 0x0f, 0x01, 0xf9 };

	if (!memcmp(code, rdtsc, sizeof(rdtsc)))
		return sizeof(rdtsc);
	if (!memcmp(code, rdtscp, sizeof(rdtscp)))
		return sizeof(rdtscp);
	return 0;
}

/* The clock of clock.c, which is preloaded. */
static uint64_t guest_counter(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)(now.tv_sec * NS_PER_S + now.tv_nsec);
}

static uint64_t host_counter(void)
{
	uint64_t counter;

	prctl(PR_SET_TSC, PR_TSC_ENABLE);
	counter = __builtin_ia32_rdtsc();
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	return counter;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t at = (uint64_t)registers[REG_RIP], counter;
	int bytes = 0;

	/* The CPU refuses an instruction without an address. */
	if (info->si_code == SI_KERNEL)
		bytes = instruction_bytes((const uint8_t *)at);
	if (!bytes) {
		signal(number, SIG_DFL);
		return;
	}
	counter = at - getauxval(AT_SYSINFO_EHDR) < VDSO_BYTES ?
			  host_counter() :
			  guest_counter();
	registers[REG_RAX] = (greg_t)(uint32_t)counter;
	registers[REG_RDX] = (greg_t)(counter >> 32);
	registers[REG_RIP] += bytes;
}

bool tsc_from_clock(void)
{
	struct sigaction action = { .sa_sigaction = on_fault,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };

	return !sigaction(SIGSEGV, &action, NULL) &&
	       !prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
}

#else

bool tsc_from_clock(void)
{
	return false;
}

#endif
