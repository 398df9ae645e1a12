// SPDX-License-Identifier: GPL-2.0
#include "decode.h"

#include <stdbool.h>
#include <string.h>

#define REX_B 1
#define REX_X 2
#define REX_R 4

/**
 * struct code - bytes not yet understood, and the prefixes before them
 * @at: next byte; reading beyond the end gives zeros
 * @left: bytes left
 * @rex: REX prefix or 0
 * @operand_size: prefix 66
 * @repeat: prefix F3
 * @gs: prefix 65
 */
struct code {
	const uint8_t *at;
	size_t left;
	uint8_t rex;
	bool operand_size;
	bool repeat;
	bool gs;
};

static uint8_t peek(const struct code *c)
{
	return c->left ? *c->at : 0;
}

static uint8_t next(struct code *c)
{
	uint8_t byte = peek(c);

	if (c->left) {
		c->at++;
		c->left--;
	}
	return byte;
}

static void read_prefixes(struct code *c)
{
	for (;; next(c)) {
		switch (peek(c)) {
		case 0x66:
			c->operand_size = true;
			continue;
		case 0xf3:
			c->repeat = true;
			continue;
		case 0x65:
			c->gs = true;
			continue;
		case 0x2e:
		case 0x3e:
		case 0xf0:
		case 0xf2:
			continue;
		}
		break;
	}
	if ((peek(c) & 0xf0) == 0x40)
		c->rex = next(c);
}

static int32_t displacement(struct code *c, unsigned int bytes)
{
	uint32_t value = 0;

	for (unsigned int i = 0; i < bytes; i++)
		value |= (uint32_t)next(c) << (8 * i);
	return bytes == 1 ? (int8_t)value : (int32_t)value;
}

static void read_operand(struct code *c, uint8_t modrm, struct decoded *d)
{
	uint8_t mod = modrm >> 6, rm = modrm & 7, sib;

	d->index = DECODED_NO_REGISTER;
	d->scale = 1;
	d->gs = c->gs;
	d->base = (uint8_t)(rm | (c->rex & REX_B ? 8 : 0));
	if (rm == 4) {
		sib = next(c);
		d->scale = (uint8_t)(1 << (sib >> 6));
		d->index = (uint8_t)((sib >> 3 & 7) | (c->rex & REX_X ? 8 : 0));
		if (d->index == 4)
			d->index = DECODED_NO_REGISTER;
		rm = sib & 7;
		d->base = (uint8_t)(rm | (c->rex & REX_B ? 8 : 0));
		if (mod == 0 && rm == 5)
			d->base = DECODED_NO_REGISTER;
	} else if (mod == 0 && rm == 5) {
		d->base = DECODED_RIP;
	}
	if (mod == 1)
		d->displacement = displacement(c, 1);
	else if (mod == 2 || (mod == 0 && rm == 5))
		d->displacement = displacement(c, 4);
}

static enum decoded_kind with_modrm(const struct code *c, uint8_t opcode,
				    uint8_t modrm)
{
	uint8_t reg = modrm >> 3 & 7;
	bool memory = modrm >> 6 != 3;

	if (opcode == 0x01 && reg == 7 && memory)
		return DECODED_FLUSH_PAGE;
	if (opcode == 0xae && reg == 7 && memory && !c->repeat)
		return DECODED_FLUSH_LINE;
	if (opcode == 0x22 && !(c->rex & REX_R) && (reg == 3 || reg == 4))
		return DECODED_FLUSH_TLBS;
	return DECODED_OTHER;
}

/* ADD, OR, AND, SUB, XOR of two registers. */
static bool is_arithmetic(uint8_t opcode, uint8_t modrm)
{
	uint8_t operation = opcode >> 3;

	return opcode < 0x38 && (opcode & 7) < 4 && modrm >> 6 == 3 &&
	       operation != 2 && operation != 3;
}

struct decoded decode(const uint8_t *code, size_t size)
{
	struct code c = { .at = code, .left = size };
	struct decoded d = { .kind = DECODED_OTHER };
	uint8_t opcode, modrm;

	read_prefixes(&c);
	opcode = next(&c);
	if (is_arithmetic(opcode, peek(&c)))
		d.kind = DECODED_ARITHMETIC;
	if (opcode != 0x0f)
		return d;
	opcode = next(&c);
	switch (opcode) {
	case 0x08:
		d.kind = DECODED_FLUSH_CACHES;
		break;
	case 0x09:
		/* With F3 it is WBNOINVD, which leaves the lines. */
		if (!c.repeat)
			d.kind = DECODED_FLUSH_CACHES;
		break;
	case 0x30:
		d.kind = DECODED_WRITE_MSR;
		break;
	case 0x38:
		if (next(&c) == 0x82 && c.operand_size)
			d.kind = DECODED_FLUSH_TLBS;
		break;
	case 0x01:
	case 0x22:
	case 0xae:
		modrm = next(&c);
		d.kind = with_modrm(&c, opcode, modrm);
		if (d.kind == DECODED_FLUSH_LINE ||
		    d.kind == DECODED_FLUSH_PAGE)
			read_operand(&c, modrm, &d);
		break;
	}
	return d;
}
