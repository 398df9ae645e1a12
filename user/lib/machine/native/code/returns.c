// SPDX-License-Identifier: GPL-2.0
#include "machine/native/code/returns.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/rng.h"
#include "machine/machine.h"

/* Words of a list beyond one for each element, and behind them a copy. */
#define EXTRA 1
#if defined(__x86_64__)
/* Its address fits a shorter instruction. */
#define WHERE MAP_32BIT
#else
#define WHERE 0
#endif

static size_t bytes_of(size_t length)
{
	return (2 * length + EXTRA) * sizeof(const char *);
}

/* The last element of arm64 loads the address of the list with its target. */
int returns_begin(struct returns *r, size_t length)
{
	void *p = mmap(NULL, bytes_of(length), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | WHERE, -1,
		       0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	*r = (struct returns){ .list = p, .length = length };
	r->list[length] = p;
	return 0;
}

void returns_end(struct returns *r)
{
	if (r->list)
		munmap(r->list, bytes_of(r->length));
	*r = (struct returns){ .list = NULL };
}

/* Where the list says at which address element @i is entered. */
static const char **entry_of(const struct returns *r, size_t i)
{
	return &r->list[i ? i - 1 : r->length - 1];
}

const char *returns_first(const struct returns *r)
{
	return *entry_of(r, 0);
}

static void swap(const char **a, const char **b)
{
	const char *kept = *a;

	*a = *b;
	*b = kept;
}

void returns_shake(struct returns *r, uint64_t rounds)
{
	const char **copy = r->list + r->length + EXTRA;
	struct rng rng = { rounds };

	/* Two elements, or one, have one order. */
	if (r->length < 3)
		return;
	memcpy(copy, r->list, r->length * sizeof(*copy));
	for (; rounds; rounds--) {
		/* The code of the last one differs: it stays the last one. */
		for (size_t i = r->length - 2; i; i--)
			swap(entry_of(r, i),
			     entry_of(r, rng_below(&rng, i + 1)));
		returns_run(r, 1);
	}
	memcpy(r->list, copy, r->length * sizeof(*copy));
}

/* Lines that are written to leave instruction caches. */
static void write_changed(char *write, const void *code, size_t bytes)
{
	if (memcmp(write, code, bytes) != 0)
		memcpy(write, code, bytes);
}

#if defined(__x86_64__)

#define NOP 0x90
#define CLD 0xfc
/* xchg %edi, %eax */
#define XCHG 0x97
/* One more than a set of decoded instructions has ways, on Intel up to Golden Cove. */
#define CROWDED 9
/* call, relative to the next instruction */
#define CALL 0xe8
#define CALL_BYTES 5
/* jmp, the same, near */
#define JUMP 0xeb
#define JUMP_BYTES 2
/* Part of an element that nothing runs into, at its end. */
#define TAIL_PART 4

/* A return to another address than the call's is an error where there is a
 * shadow stack (Intel SDM volume 1, chapter 17; AMD APM volume 2, section 18):
 * rdsspq leaves the register alone where there is none.
 */
bool returns_available(void)
{
	uint64_t stack = 0;

	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(stack));
	return !stack;
}

/* Where a ring closes. A loop instruction takes some six cycles, half of what a miss
 * does: it is there only where there is no room for others. Return: bytes.
 */
static size_t write_turn(unsigned char *code, size_t room_bytes)
{
	/* pop %rax; dec %rcx; jnz over the return; ret; push (%rsi);
	 * mov %edx, %esi; ret
	 */
	static const unsigned char turn[] = { 0x58, 0x48, 0xff, 0xc9,
					      0x75, 0x01, 0xc3, 0xff,
					      0x36, 0x89, 0xd6, 0xc3 };
	/* The same, but: loop over the return */
	static const unsigned char short_turn[] = { 0x58, 0xe2, 0x01,
						    0xc3, 0xff, 0x36,
						    0x89, 0xd6, 0xc3 };
	const bool fits = sizeof(turn) <= room_bytes;

	memcpy(code, fits ? turn : short_turn,
	       fits ? sizeof(turn) : sizeof(short_turn));
	return fits ? sizeof(turn) : sizeof(short_turn);
}

/* Where fetch begins in the last bytes of a line, it goes on behind it before it is
 * known that they jump (a Zen 3: in the last two, not in the last four, three lines
 * further).
 */
static size_t tail_of(size_t room_bytes)
{
	return room_bytes > VIEW_SLOT_BYTES ? room_bytes / TAIL_PART : 0;
}

/*
 * Instructions of a byte each, of which what keeps decoded ones has room for few, and
 * which change nothing that counts: cld is a sequence of its own, which takes a place
 * alone (Intel's optimization reference manual, decoded ICache), and xchg %edi, %eax is
 * two operations or three. A Golden Cove keeps a line of nops, some 40 operations, also
 * after it has left L1i: 9 lines of a set of 8 ways then stop missing. It keeps none of
 * 9 cld or more, be the element 32 bytes long or 64; but of 7 in 32 bytes it does at
 * times, and of exchanges alone.
 */
static void crowd(unsigned char *code, size_t bytes)
{
	const size_t alone = bytes < CROWDED ? bytes : CROWDED;

	memset(code, CLD, alone);
	memset(code + alone, XCHG, bytes - alone);
}

/* Run with the list, %rsi and %rdx, and the number of rounds, %rcx. Entered
 * behind the call, where a jump leads behind the body, which the call goes back to.
 */
void returns_write(struct returns *r, size_t i, char *write, const char *run,
		   size_t room_bytes)
{
	/* pop %rax; push (%rsi); add $8, %rsi; ret */
	static const unsigned char step[] = { 0x58, 0xff, 0x36, 0x48,
					      0x83, 0xc6, 0x08, 0xc3 };
	const bool last = i + 1 == r->length;
	const size_t end = room_bytes - tail_of(room_bytes);
	const size_t entry = end - JUMP_BYTES, call = entry - CALL_BYTES;
	const int32_t back = -(int32_t)entry;
	unsigned char code[VIEW_CODE_BYTES];
	size_t body = sizeof(step);

	if (last)
		body = write_turn(code, call);
	else
		memcpy(code, step, body);
	memset(code + body, NOP, room_bytes - body);
	if (room_bytes > VIEW_SLOT_BYTES)
		crowd(code + body, call - body);
	code[call] = CALL;
	memcpy(code + call + 1, &back, sizeof(back));
	code[entry] = JUMP;
	code[entry + 1] = (unsigned char)(body - end);
	write_changed(write, code, room_bytes);
	*entry_of(r, i) = run + entry;
}

void returns_run(const struct returns *r, uint64_t rounds)
{
	/* ISO C has no cast from an object to a function. */
	union {
		const char *address;
		void (*function)(uint64_t unused, const char *const *list,
				 const char *const *begin, uint64_t rounds);
	} run = { .address = returns_first(r) };
	const char *const *list = (const char *const *)r->list;

	run.function(0, list, list, rounds);
}

#elif defined(__aarch64__)

#define NOP 0xd503201fU

/* Guarded control stacks (FEAT_GCS) are off unless a program asks for one. */
bool returns_available(void)
{
	return true;
}

/* Run with the number of rounds, x0, the list, x1, and where to go in the end,
 * x17. The call takes x30. The last element has no room for one: its return is
 * predicted to go to what called the ring.
 */
void returns_write(struct returns *r, size_t i, char *write, const char *run,
		   size_t room_bytes)
{
	/* bl behind the next one; b to itself; ldr x16, [x1], #8; ret x16 */
	static const uint32_t step[] = { 0x94000002U, 0x14000000U, 0xf8408430U,
					 0xd65f0200U };
	/* subs x0, x0, #1; ldp x16, x1, [x1]; csel x16, x17, x16, eq;
	 * ret x16
	 */
	static const uint32_t turn[] = { 0xf1000400U, 0xa9400430U, 0x9a900230U,
					 0xd65f0200U };
	const size_t fill = (room_bytes - sizeof(step)) / sizeof(step[0]);
	uint32_t code[VIEW_CODE_BYTES / sizeof(step[0])];

	for (size_t at = 0; at < fill; at++)
		code[at] = NOP;
	memcpy(code + fill, i + 1 == r->length ? turn : step, sizeof(step));
	write_changed(write, code, room_bytes);
	*entry_of(r, i) = run;
}

void returns_run(const struct returns *r, uint64_t rounds)
{
	register uint64_t left __asm__("x0") = rounds;
	register const char **at __asm__("x1") = r->list;

	__asm__ volatile("adr x17, 1f\n\tbr %2\n1:"
			 : "+r"(left), "+r"(at)
			 : "r"(returns_first(r))
			 : "x16", "x17", "x30", "cc", "memory");
}

#else

bool returns_available(void)
{
	return false;
}

void returns_write(struct returns *r, size_t i, char *write, const char *run,
		   size_t room_bytes)
{
	(void)write;
	(void)room_bytes;
	*entry_of(r, i) = run;
}

void returns_run(const struct returns *r, uint64_t rounds)
{
	(void)r;
	(void)rounds;
}

#endif
