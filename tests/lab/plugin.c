// SPDX-License-Identifier: GPL-2.0
/*
 * plugin.c - QEMU's TCG plugin of the virtual lab: what the guest's CPUs do to
 * memory goes through the model, what it costs becomes guest time.
 *
 *	-plugin plugin.so,profile=FILE,ram=FILE,bar=FILE,cycle-ps=N
 *
 * An access takes what the model says, arithmetic on registers one cycle each:
 * chains of dependent instructions are what measurements consist of. All other
 * instructions are thought to be done beside them, as by a processor that
 * executes out of order.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../user/model/model.h"
#include "bar.h"
#include "clock.h"
#include "decode.h"
#include "pages.h"
#include "qemu_api.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

#define CPUS 8
#define REGISTERS 17 /* sixteen general ones and the base of GS */
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
 * @asked: last request for counters that was answered
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
	uint64_t asked;
	uint64_t ticks;
	uint64_t arithmetic;
};

static struct {
	pthread_mutex_t lock;
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
} lab = { .lock = PTHREAD_MUTEX_INITIALIZER, .cycle_ps = 5000 };

/* --- time ------------------------------------------------------------------ */

/* All that follows is called with the lock held. */

static void give_time(struct cpu *c, uint64_t ticks)
{
	c->ticks += ticks;
	lab.ps += ticks * lab.cycle_ps / MODEL_TICKS;
	if (lab.ps < 1000)
		return;
	lab_clock_advance(lab.ps / 1000);
	lab.ps %= 1000;
}

/* Host time passes unless a modelled CPU is awake. */
static void count_running(void)
{
	unsigned int running = 0;

	for (size_t i = 0; i < CPUS; i++)
		running += lab.cpus[i].active && !lab.cpus[i].asleep;
	if (running && !lab.running)
		lab_clock_freeze();
	else if (!running && lab.running)
		lab_clock_thaw();
	lab.running = running;
}

static bool wanted(unsigned int vcpu)
{
	return __atomic_load_n(&lab.bar->cpus, __ATOMIC_RELAXED) >> vcpu & 1;
}

static void activate(unsigned int vcpu, bool on)
{
	struct cpu *c = &lab.cpus[vcpu];

	c->active = on;
	c->arithmetic = c->board->arithmetic;
	count_running();
}

static void give_arithmetic(struct cpu *c)
{
	uint64_t now = c->board->arithmetic;

	if (c->active && now != c->arithmetic)
		give_time(c, (now - c->arithmetic) * MODEL_TICKS);
	c->arithmetic = now;
}

static void answer(unsigned int vcpu, uint64_t ask)
{
	struct lab_cpu *page = &lab.bar->cpu[vcpu];
	struct cpu *c = &lab.cpus[vcpu];

	for (int i = 0; i < PROFILE_COUNTERS; i++)
		page->values[i] =
			model_counter(lab.model, vcpu, (enum profile_counter)i);
	give_arithmetic(c);
	page->values[PROFILE_COUNTER_CYCLES] = c->ticks / MODEL_TICKS;
	page->values[PROFILE_COUNTER_INSTRUCTIONS] = c->board->instructions;
	c->asked = ask;
	__atomic_store_n(&page->told, ask, __ATOMIC_RELEASE);
}

/* --- accesses -------------------------------------------------------------- */

static uint32_t access_line(unsigned int vcpu, uint64_t virt,
			    enum model_kind kind)
{
	const struct page *page = pages_find(lab.cpus[vcpu].pages, virt);
	struct model_access access = {
		.virt = virt,
		.phys = page->phys + (virt & 4095),
		.page_bytes = page->bytes,
		.cpu = vcpu,
		.kind = kind,
	};

	/* Devices are not cached. */
	if (!page->bytes || access.phys >= lab.ram_bytes)
		return 0;
	lab.bar->accesses++;
	return model_access(lab.model, &access);
}

static void access_modelled(unsigned int vcpu, qemu_plugin_meminfo_t info,
			    uint64_t virt)
{
	enum model_kind kind = qemu_plugin_mem_is_store(info) ? MODEL_STORE :
								MODEL_LOAD;
	uint64_t last = virt + (1U << qemu_plugin_mem_size_shift(info)) - 1;
	uint32_t ticks;

	give_arithmetic(&lab.cpus[vcpu]);
	ticks = access_line(vcpu, virt, kind);
	if ((virt ^ last) & ~(uint64_t)(lab.line_bytes - 1))
		ticks += access_line(
			vcpu, last & ~(uint64_t)(lab.line_bytes - 1), kind);
	give_time(&lab.cpus[vcpu], ticks);
}

static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info,
		      uint64_t virt, void *unused)
{
	struct cpu *c = &lab.cpus[vcpu];
	bool want = wanted(vcpu);
	uint64_t ask = lab.bar->cpu[vcpu].ask;

	(void)unused;
	if (!want && !c->active && ask == c->asked)
		return;
	pthread_mutex_lock(&lab.lock);
	if (want != c->active)
		activate(vcpu, want);
	if (ask != c->asked)
		answer(vcpu, ask);
	if (want)
		access_modelled(vcpu, info, virt);
	pthread_mutex_unlock(&lab.lock);
}

/* Fetches that hit the first level are hidden behind execution. */
static void on_block(unsigned int vcpu, void *line)
{
	uint32_t ticks;

	if (!lab.cpus[vcpu].active)
		return;
	pthread_mutex_lock(&lab.lock);
	ticks = access_line(vcpu, (uintptr_t)line, MODEL_FETCH);
	if (ticks > lab.fetch_ticks)
		give_time(&lab.cpus[vcpu], ticks - lab.fetch_ticks);
	pthread_mutex_unlock(&lab.lock);
}

/* --- flushes --------------------------------------------------------------- */

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
	pthread_mutex_lock(&lab.lock);
	c->board->new_tables = 0;
	pages_flush(c->pages, read_register(c->cr3));
	model_flush_tlbs(lab.model, vcpu);
	pthread_mutex_unlock(&lab.lock);
}

/**
 * struct flush - an instruction that flushes, kept as long as QEMU runs
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

static void on_flush(unsigned int vcpu, void *data)
{
	struct cpu *c = &lab.cpus[vcpu];
	const struct flush *f = data;
	const struct page *page;
	uint64_t virt;

	pthread_mutex_lock(&lab.lock);
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
	default:
		break;
	}
	pthread_mutex_unlock(&lab.lock);
}

/* --- translation ----------------------------------------------------------- */

static qemu_plugin_u64 entry_of(size_t offset)
{
	return (qemu_plugin_u64){ .score = lab.boards, .offset = offset };
}

static void count(struct qemu_plugin_insn *insn, size_t offset, uint64_t more)
{
	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(
		insn, QEMU_PLUGIN_INLINE_ADD_U64, entry_of(offset), more);
}

static void instrument_kind(struct qemu_plugin_insn *insn)
{
	struct decoded d;
	struct flush *f;
	uint8_t code[15];

	d = decode(code, qemu_plugin_insn_data(insn, code, sizeof(code)));
	if (d.kind == DECODED_ARITHMETIC)
		count(insn, offsetof(struct board, arithmetic), 1);
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

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t total = qemu_plugin_tb_n_insns(tb);
	uint64_t line = UINT64_MAX;

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cond_cb(
		tb, on_new_tables, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_COND_NE,
		entry_of(offsetof(struct board, new_tables)), 0, NULL);
	for (size_t i = 0; i < total; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = qemu_plugin_insn_vaddr(insn) / lab.line_bytes *
			      lab.line_bytes;

		if (lab.fetches && at != line)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_block, QEMU_PLUGIN_CB_NO_REGS,
				(void *)(uintptr_t)at);
		line = at;
		if (!i)
			count(insn, offsetof(struct board, instructions),
			      total);
		instrument_kind(insn);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* --- CPUs ------------------------------------------------------------------ */

static const char *const register_names[REGISTERS] = {
	"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",	    "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "gs_base",
};

static void find_registers(struct cpu *c)
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

static void on_cpu(qemu_plugin_id_t id, unsigned int vcpu)
{
	struct cpu *c = &lab.cpus[vcpu];

	(void)id;
	pthread_mutex_lock(&lab.lock);
	find_registers(c);
	if (!c->cr3)
		fputs("lab: QEMU does not show CR3\n", stderr);
	/* Room for more CPUs moves the boards of those before. */
	for (unsigned int i = 0; i <= vcpu; i++)
		lab.cpus[i].board = qemu_plugin_scoreboard_find(lab.boards, i);
	c->board->new_tables = 1;
	pthread_mutex_unlock(&lab.lock);
}

static void sleeps(unsigned int vcpu, bool asleep)
{
	pthread_mutex_lock(&lab.lock);
	lab.cpus[vcpu].asleep = asleep;
	count_running();
	pthread_mutex_unlock(&lab.lock);
}

static void on_idle(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	sleeps(vcpu, true);
}

static void on_resume(qemu_plugin_id_t id, unsigned int vcpu)
{
	(void)id;
	sleeps(vcpu, false);
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void *unused)
{
	(void)id;
	(void)unused;
	fprintf(stderr, "lab: %llu accesses modelled\n",
		(unsigned long long)lab.bar->accesses);
}

/* --- beginning ------------------------------------------------------------- */

static void *map_file(const char *path, uint64_t *bytes)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat stat;
	void *map;

	if (fd < 0 || fstat(fd, &stat)) {
		perror(path);
		return NULL;
	}
	*bytes = (uint64_t)stat.st_size;
	map = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		perror(path);
		return NULL;
	}
	return map;
}

static bool load_profile(const char *path)
{
	struct failure f = { .text = "" };

	lab.profile = profile_load(path, &f);
	if (!lab.profile) {
		fprintf(stderr, "lab: %s\n", f.text);
		return false;
	}
	lab.line_bytes = 4096;
	for (size_t i = 0; i < lab.profile->cache_count; i++) {
		const struct profile_cache *c = &lab.profile->caches[i];

		if (c->line_bytes < lab.line_bytes)
			lab.line_bytes = c->line_bytes;
		if (c->level == 1 && c->type != PROFILE_DATA) {
			lab.fetches = true;
			lab.fetch_ticks =
				(uint32_t)(c->latency_cycles * MODEL_TICKS);
		}
	}
	lab.model = model_create(lab.profile);
	return lab.model;
}

static bool parse(const char *argument)
{
	const char *value = strchr(argument, '=');
	uint64_t bytes;

	if (!value++)
		return false;
	if (!strncmp(argument, "profile=", 8))
		return load_profile(value);
	if (!strncmp(argument, "ram=", 4))
		return (lab.ram = map_file(value, &lab.ram_bytes));
	if (!strncmp(argument, "bar=", 4)) {
		lab.bar = map_file(value, &bytes);
		return lab.bar && bytes >= sizeof(*lab.bar);
	}
	if (!strncmp(argument, "cycle-ps=", 9)) {
		lab.cycle_ps = strtoull(value, NULL, 10);
		return lab.cycle_ps;
	}
	return false;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
					   const qemu_info_t *info, int argc,
					   char **argv)
{
	for (int i = 0; i < argc; i++) {
		if (parse(argv[i]))
			continue;
		fprintf(stderr, "lab: cannot use argument '%s'\n", argv[i]);
		return -1;
	}
	if (!lab.profile || !lab.ram || !lab.bar ||
	    info->system.smp_vcpus > CPUS) {
		fputs("lab: profile, ram or bar is missing\n", stderr);
		return -1;
	}
	for (size_t i = 0; i < CPUS; i++) {
		lab.cpus[i].pages = calloc(1, sizeof(*lab.cpus[i].pages));
		if (!lab.cpus[i].pages)
			return -1;
		lab.cpus[i].pages->ram = lab.ram;
		lab.cpus[i].pages->ram_bytes = lab.ram_bytes;
	}
	lab.buffer = g_byte_array_new();
	lab.boards = qemu_plugin_scoreboard_new(sizeof(struct board));
	lab.bar->magic = LAB_BAR_MAGIC;
	lab.bar->counters = lab.profile->counters;
	qemu_plugin_register_vcpu_init_cb(id, on_cpu);
	qemu_plugin_register_vcpu_idle_cb(id, on_idle);
	qemu_plugin_register_vcpu_resume_cb(id, on_resume);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
