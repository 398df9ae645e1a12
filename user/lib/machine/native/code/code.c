// SPDX-License-Identifier: GPL-2.0
#include "machine/native/code/code.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x8U
#endif

#if defined(__x86_64__)

bool code_available(void)
{
	return true;
}

void code_jump(char *write, const char *run, const char *target)
{
	/* mov $target, %rax; jmp *%rax */
	unsigned char far[12] = { 0x48, 0xb8, [10] = 0xff, 0xe0 };
	/* jmp target, relative to the next instruction */
	unsigned char near[] = { 0xe9, 0, 0, 0, 0 };
	int64_t distance = target - (run + sizeof(near));
	int32_t relative = (int32_t)distance;

	if (relative == distance) {
		memcpy(near + 1, &relative, sizeof(relative));
		memcpy(write, near, sizeof(near));
		return;
	}
	memcpy(far + 2, &target, sizeof(target));
	memcpy(write, far, sizeof(far));
}

/* Intel and AMD require it where code is written at one address and executed
 * at another.
 */
void code_serialize(void)
{
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

/* Called with the number of rounds, %rdi, and the first slot, %rsi. */
void code_close_ring(char *write)
{
	/* dec %rdi; je behind the jump; jmp *%rsi; ret */
	static const unsigned char code[] = { 0x48, 0xff, 0xcf, 0x74,
					      0x02, 0xff, 0xe6, 0xc3 };

	memcpy(write, code, sizeof(code));
}

#elif defined(__aarch64__)

bool code_available(void)
{
	return true;
}

#define NEAR (INT64_C(1) << 27)

void code_jump(char *write, const char *run, const char *target)
{
	int64_t distance = target - run;
	uint64_t to = (uintptr_t)target;
	/* movz x16, #; movk x16, #, lsl 16; movk x16, #, lsl 32; br x16: user
	 * space gets no addresses above 48 bits unless it requests them.
	 */
	uint32_t far[] = {
		0xd2800010U | (uint32_t)(to & 0xffff) << 5,
		0xf2a00010U | (uint32_t)(to >> 16 & 0xffff) << 5,
		0xf2c00010U | (uint32_t)(to >> 32 & 0xffff) << 5,
		0xd61f0200U,
	};
	/* b target */
	uint32_t near = 0x14000000U | ((uint32_t)(distance / 4) & 0x3ffffffU);

	if (distance >= -NEAR && distance < NEAR)
		memcpy(write, &near, sizeof(near));
	else
		memcpy(write, far, sizeof(far));
}

void code_serialize(void)
{
	__asm__ volatile("dsb ish; isb" : : : "memory");
}

/* Called with the number of rounds, x0, and the first slot, x1. */
void code_close_ring(char *write)
{
	/* sub x0, x0, #1; cbz x0, behind the jump; br x1; ret */
	static const uint32_t code[] = { 0xd1000400U, 0xb4000040U, 0xd61f0020U,
					 0xd65f03c0U };

	memcpy(write, code, sizeof(code));
}

#else

bool code_available(void)
{
	return false;
}

void code_jump(char *write, const char *run, const char *target)
{
	(void)write;
	(void)run;
	(void)target;
}

void code_serialize(void)
{
}

void code_close_ring(char *write)
{
	(void)write;
}

#endif

int code_memfd(const char *name, unsigned int flags)
{
	int fd = memfd_create(name, flags | MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	/* Kernels before 6.3 do not know the flag. */
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, flags | MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

void code_run(const char *first, uint64_t rounds)
{
	/* ISO C has no cast from an object to a function. */
	union {
		const char *address;
		void (*function)(uint64_t rounds, const char *first);
	} run = { .address = first };

	run.function(rounds, first);
}

void code_sync(char *run, uint64_t bytes)
{
	__builtin___clear_cache(run, run + bytes);
}
