// SPDX-License-Identifier: GPL-2.0
/*
 * flush.c - instructions that act on caches, TLBs and prefetchers, and their
 * operands.
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

static const char *const register_names[REGISTERS] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",	    "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "gs_base",
};

void find_registers(struct cpu *c)
{
	GArray *all = qemu_plugin_get_registers();
	const qemu_plugin_reg_descriptor *r =
		(const qemu_plugin_reg_descriptor *)(void *)all->data;

	for (unsigned int i = 0; i < all->len; i++) {
		if (!strcmp(r[i].name, "cr3"))
			c->cr3 = r[i].handle;
		for (int n = 0; n < REGISTERS; n++)
			if (!strcmp(r[i].name, register_names[n]))
				c->registers[n] = r[i].handle;
	}
	g_array_free(all, 1);
}

static uint64_t read_register(struct qemu_plugin_register *handle)
{
	uint64_t value = 0;

	g_byte_array_set_size(lab.buffer, 0);
	if (handle && qemu_plugin_read_register(handle, lab.buffer) > 0)
		memcpy(&value, lab.buffer->data,
		       lab.buffer->len < 8 ? lab.buffer->len : 8);
	return value;
}

/* The first block after a write to CR3, with registers to be read. */
static void on_new_tables(unsigned int vcpu, void *unused)
{
	struct cpu *c = &lab.cpus[vcpu];

	(void)unused;
	take_lab();
	c->board->new_tables = 0;
	memset(c->fetched, 0, sizeof(c->fetched));
	pages_flush(c->pages, read_register(c->cr3));
	model_flush_tlbs(lab.model, vcpu);
	release_lab();
}

/**
 * struct flush - an instruction that flushes or switches, kept as long as QEMU runs
 * @decoded: what it is
 * @next: address of the instruction behind it
 */
struct flush {
	struct decoded decoded;
	uint64_t next;
};

static uint64_t operand(const struct cpu *c, const struct flush *f)
{
	const struct decoded *d = &f->decoded;
	uint64_t address = (uint64_t)(int64_t)d->displacement;

	if (d->base == DECODED_RIP)
		address += f->next;
	else if (d->base != DECODED_NO_REGISTER)
		address += read_register(c->registers[d->base]);
	if (d->index != DECODED_NO_REGISTER)
		address += read_register(c->registers[d->index]) * d->scale;
	if (d->gs)
		address += read_register(c->registers[REGISTER_GS]);
	return address;
}

/* Of the switch: the bits of the prefetchers that the machine has. */
static uint64_t prefetch_bits(void)
{
	static const uint64_t bits[] = {
		[PROFILE_STREAM] = 1,
		[PROFILE_ADJACENT_LINE] = 2,
		[PROFILE_NEXT_LINE] = 4,
		[PROFILE_STRIDE] = 8,
	};
	uint64_t all = 0;

	for (size_t i = 0; i < lab.profile->prefetcher_count; i++)
		if (lab.profile->prefetchers[i].switchable)
			all |= bits[lab.profile->prefetchers[i].kind];
	return all;
}

/* The model has one switch for all: off when none is left on. */
static void write_msr(unsigned int vcpu, const struct cpu *c)
{
	uint64_t bits = prefetch_bits(), value;

	if ((uint32_t)read_register(c->registers[REGISTER_CX]) !=
	    LAB_MSR_PREFETCH)
		return;
	value = read_register(c->registers[REGISTER_DX]) << 32 |
		(uint32_t)read_register(c->registers[REGISTER_AX]);
	lab.bar->cpu[vcpu].prefetch = value;
	model_set_prefetchers(lab.model, vcpu, (value & bits) != bits);
}

static void on_flush(unsigned int vcpu, void *data)
{
	struct cpu *c = &lab.cpus[vcpu];
	const struct flush *f = data;
	const struct page *page;
	uint64_t virt;

	take_lab();
	memset(c->fetched, 0, sizeof(c->fetched));
	switch (f->decoded.kind) {
	case DECODED_FLUSH_CACHES:
		model_flush_caches(lab.model, vcpu);
		break;
	case DECODED_FLUSH_PAGE:
		pages_flush(c->pages, c->pages->root);
		model_flush_page(lab.model, vcpu, operand(c, f));
		break;
	case DECODED_FLUSH_LINE:
		virt = operand(c, f);
		page = pages_find(c->pages, virt);
		if (page->bytes)
			model_flush_line(lab.model, page->phys + (virt & 4095));
		break;
	case DECODED_WRITE_MSR:
		write_msr(vcpu, c);
		break;
	default:
		break;
	}
	release_lab();
}

static qemu_plugin_u64 entry_of(size_t offset)
{
	return (qemu_plugin_u64){ .score = lab.boards, .offset = offset };
}

void count_instruction(struct qemu_plugin_insn *insn, size_t offset,
		       uint64_t more)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		insn, QEMU_PLUGIN_INLINE_ADD_U64, entry_of(offset), more);
}

void instrument_kind(struct qemu_plugin_insn *insn)
{
	struct decoded d;
	struct flush *f;
	uint8_t code[15];

	d = decode(code, qemu_plugin_insn_data(insn, code, sizeof(code)));
	if (d.kind == DECODED_ARITHMETIC)
		count_instruction(insn, offsetof(struct board, arithmetic), 1);
	if (d.kind == DECODED_OTHER || d.kind == DECODED_ARITHMETIC)
		return;
	if (d.kind == DECODED_FLUSH_TLBS) {
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
			insn, QEMU_PLUGIN_INLINE_STORE_U64,
			entry_of(offsetof(struct board, new_tables)), 1);
		return;
	}
	f = malloc(sizeof(*f));
	if (!f)
		abort();
	f->decoded = d;
	f->next = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_flush,
					       QEMU_PLUGIN_CB_R_REGS, f);
}

void look_for_new_tables(struct qemu_plugin_tb *tb)
{
	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, on_new_tables, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		entry_of(offsetof(struct board, new_tables)), 0, NULL);
}
