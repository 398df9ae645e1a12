// SPDX-License-Identifier: GPL-2.0
#include "code.h"

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

#define LOOP_BYTES ((size_t)sysconf(_SC_PAGESIZE))

#if defined(__x86_64__)

bool code_available(void)
{
	return true;
}

void code_jump(char *write, const char *run, const char *target)
{
	/* mov $target, %rax; jmp *%rax */
	unsigned char far[] = { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0 };
	/* jmp target, relative to what follows */
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

/* Intel and AMD ask for it where code is written at one address and executed
 * at another.
 */
static void serialize(void)
{
	unsigned int a, b, c, d;

	__cpuid(0, a, b, c, d);
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}

/* The number of rounds is the first argument of a function: %rdi. */
static void write_countdown(char *write)
{
	/* dec %rdi; jne to the slot before; ret */
	static const unsigned char code[] = {
		0x48, 0xff, 0xcf, 0x75, (unsigned char)(-VIEW_SLOT_BYTES - 5),
		0xc3
	};

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
	 * space asks for no addresses above 48 bits.
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

static void serialize(void)
{
	__asm__ volatile("dsb ish; isb" : : : "memory");
}

/* The number of rounds is the first argument of a function: x0. */
static void write_countdown(char *write)
{
	/* sub x0, x0, #1; cbnz x0, to the slot before; ret */
	static const uint32_t code[] = {
		0xd1000400U,
		0xb5000000U |
			((uint32_t)((-VIEW_SLOT_BYTES - 4) / 4) & 0x7ffffU)
				<< 5,
		0xd65f03c0U,
	};

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

static void serialize(void)
{
}

static void write_countdown(char *write)
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

static char *map_loop(int fd, int prot)
{
	void *p = mmap(NULL, LOOP_BYTES, prot, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

int code_loop_open(struct code_loop *loop, struct failure *f)
{
	int fd, error = 0;

	*loop = (struct code_loop){ 0 };
	if (!code_available())
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"views: executable pages: no jumps known for this architecture (measure data pages)");
	fd = code_memfd("probe-phys-loop", 0);
	if (fd < 0)
		error = fd;
	else if (ftruncate(fd, (off_t)LOOP_BYTES) < 0)
		error = -errno;
	if (!error) {
		loop->write = map_loop(fd, PROT_READ | PROT_WRITE);
		loop->run = map_loop(fd, PROT_READ | PROT_EXEC);
		if (!loop->write || !loop->run)
			error = -errno;
	}
	if (fd >= 0)
		close(fd);
	if (!error) {
		write_countdown(loop->write + VIEW_SLOT_BYTES);
		return 0;
	}
	code_loop_close(loop);
	return fail(
		f, STATUS_UNAVAILABLE, EOPNOTSUPP,
		"views: executable pages: %s (allow anonymous executable memory, or measure data pages)",
		strerror(-error));
}

void code_loop_close(struct code_loop *loop)
{
	if (loop->write)
		munmap(loop->write, LOOP_BYTES);
	if (loop->run)
		munmap(loop->run, LOOP_BYTES);
	*loop = (struct code_loop){ 0 };
}

void code_loop_enter(const struct code_loop *loop, const char *first)
{
	code_jump(loop->write, loop->run, first);
	code_sync(loop->run, 2 * VIEW_SLOT_BYTES);
	serialize();
}

const char *code_loop_back(const struct code_loop *loop)
{
	return loop->run + VIEW_SLOT_BYTES;
}

void code_loop_run(const struct code_loop *loop, uint64_t rounds)
{
	/* ISO C has no cast from an object to a function. */
	union {
		char *address;
		void (*function)(uint64_t rounds);
	} run = { .address = loop->run };

	run.function(rounds);
}

void code_sync(char *run, uint64_t bytes)
{
	__builtin___clear_cache(run, run + bytes);
}
