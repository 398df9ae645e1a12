/* SPDX-License-Identifier: GPL-2.0 */
/* lab.h - what the parts of the plugin share. */
#ifndef LAB_H
#define LAB_H

#include <sched.h>

#include "bar.h"
#include "model/model.h"
#include "pages.h"
#include "qemu_api.h"

#define CPUS 8
#define FETCHED 16
#define REGISTERS 17 /* sixteen general ones and the base of GS */
#define REGISTER_AX 0
#define REGISTER_CX 1
#define REGISTER_DX 2
#define REGISTER_GS 16

/**
 * struct board - what translated code itself writes, one per CPU
 * @instructions: executed
 * @arithmetic: of them those that take a cycle
 * @new_tables: CR3 or CR4 was written: look again
 */
struct board {
	uint64_t instructions;
	uint64_t arithmetic;
	uint64_t new_tables;
};

/**
 * struct cpu - one CPU of the guest
 * @board: its counts
 * @pages: its address space
 * @cr3: handle of the register
 * @registers: of operands
 * @active: modelled at present
 * @asleep: waits for an interrupt
 * @fetched: lines that the CPU executes from, without looking at its cache
 * @page: where the last of them lies
 * @answered: last request for counters that has an answer
 * @ticks: that it has run for while it was modelled, MODEL_TICKS per cycle
 * @arithmetic: of @board, for which time has been given
 */
struct cpu {
	struct board *board;
	struct pages *pages;
	struct qemu_plugin_register *cr3;
	struct qemu_plugin_register *registers[REGISTERS];
	bool active;
	bool asleep;
	uint64_t fetched[FETCHED];
	uint64_t page;
	uint64_t answered;
	uint64_t ticks;
	uint64_t arithmetic;
};

/**
 * struct lab - all of it
 * @taken: the lock of everything below
 * @profile: the machine
 * @model: its state
 * @bar: what the guest sees
 * @ram: the guest's memory, @ram_bytes long
 * @cycle_ps: guest time of a modelled cycle
 * @ps: of guest time, less than a nanosecond, not yet given
 * @line_bytes: the shortest line of the machine
 * @running: modelled CPUs that are awake
 * @fetches: the machine has something for instructions
 * @fetch_ticks: a fetch that takes no longer costs nothing
 * @boards: struct board of each CPU
 * @buffer: for reading registers
 * @cpus: the CPUs
 */
struct lab {
	bool taken;
	struct profile *profile;
	struct model *model;
	struct lab_bar *bar;
	const char *ram;
	uint64_t ram_bytes;
	uint64_t cycle_ps;
	uint64_t ps;
	unsigned int line_bytes;
	unsigned int running;
	bool fetches;
	uint32_t fetch_ticks;
	struct qemu_plugin_scoreboard *boards;
	GByteArray *buffer;
	struct cpu cpus[CPUS];
};

extern struct lab lab;

/* Once per access and hardly ever contended: lighter than a mutex. */
static inline void take_lab(void)
{
	while (__atomic_exchange_n(&lab.taken, true, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void release_lab(void)
{
	__atomic_store_n(&lab.taken, false, __ATOMIC_RELEASE);
}

/* access.c: what executes, as QEMU reports it. */
void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt,
	       void *unused);
void on_fetch(unsigned int vcpu, void *line);

/** count_running() - a CPU fell asleep or woke up; with the lock held */
void count_running(void);

/* flush.c: instructions that act on caches, TLBs and prefetchers. */

/** find_registers() - of the current CPU, which is @c */
void find_registers(struct cpu *c);

/** instrument_kind() - have @insn noticed if it is one of those that matter */
void instrument_kind(struct qemu_plugin_insn *insn);

/** count_instruction() - @more to the word of struct board at @offset, whenever
 * @insn executes
 */
void count_instruction(struct qemu_plugin_insn *insn, size_t offset,
		       uint64_t more);

/** look_for_new_tables() - at the start of @tb */
void look_for_new_tables(struct qemu_plugin_tb *tb);

#endif
