/* SPDX-License-Identifier: GPL-2.0 */
/* decode.h - the few x86-64 instructions that the lab must know. */
#ifndef LAB_DECODE_H
#define LAB_DECODE_H

#include <stddef.h>
#include <stdint.h>

enum decoded_kind {
	DECODED_OTHER,
	DECODED_ARITHMETIC,   /* register to register: part of a chain */
	DECODED_FLUSH_LINE,   /* CLFLUSH, CLFLUSHOPT */
	DECODED_FLUSH_CACHES, /* WBINVD, INVD */
	DECODED_FLUSH_PAGE,   /* INVLPG */
	DECODED_FLUSH_TLBS,   /* MOV to CR3 or CR4, INVPCID */
	DECODED_WRITE_MSR,    /* WRMSR */
};

#define DECODED_NO_REGISTER 0xff
#define DECODED_RIP 16

/**
 * struct decoded - an instruction, with its memory operand where it has one:
 * base + index * scale + displacement
 * @kind: what it does
 * @base: general register, DECODED_RIP (of the next instruction) or
 *        DECODED_NO_REGISTER
 * @index: the same
 * @scale: 1, 2, 4 or 8
 * @gs: relative to the base of GS
 * @displacement: signed
 */
struct decoded {
	enum decoded_kind kind;
	uint8_t base;
	uint8_t index;
	uint8_t scale;
	uint8_t gs;
	int32_t displacement;
};

/** decode() - what @size bytes of code at @code do */
struct decoded decode(const uint8_t *code, size_t size);

#endif
