// SPDX-License-Identifier: GPL-2.0
/*
 * plugin.c - QEMU's TCG plugin of the virtual lab: what the guest's CPUs do to
 * memory goes through the model, what it costs becomes guest time.
 *
 *	-plugin plugin.so,profile=FILE,ram=FILE,bar=FILE,cycle-ps=N
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab.h"
#include "tsc.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

struct lab lab = { .cycle_ps = 5000 };

/* --- translation ----------------------------------------------------------- */

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t total = qemu_plugin_tb_n_insns(tb);
	uint64_t line = UINT64_MAX;

	(void)id;
	look_for_new_tables(tb);
	for (size_t i = 0; i < total; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t at = qemu_plugin_insn_vaddr(insn) / lab.line_bytes *
			      lab.line_bytes;

		if (lab.fetches && at != line)
			qemu_plugin_register_vcpu_insn_exec_cb(
				insn, on_fetch, QEMU_PLUGIN_CB_NO_REGS,
				(void *)(uintptr_t)at);
		line = at;
		if (!i)
			count_instruction(insn,
					  offsetof(struct board, instructions),
					  total);
		instrument_kind(insn);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access,
						 QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* --- CPUs ------------------------------------------------------------------ */

static void on_cpu(qemu_plugin_id_t id, unsigned int vcpu)
{
	struct cpu *c = &lab.cpus[vcpu];

	(void)id;
	take_lab();
	find_registers(c);
	if (!c->cr3)
		fputs("lab: QEMU does not show CR3\n", stderr);
	/* Room for more CPUs moves the boards of those before. */
	for (unsigned int i = 0; i <= vcpu; i++)
		lab.cpus[i].board = qemu_plugin_scoreboard_find(lab.boards, i);
	c->board->new_tables = 1;
	release_lab();
}

static void sleeps(unsigned int vcpu, bool asleep)
{
	take_lab();
	lab.cpus[vcpu].asleep = asleep;
	count_running();
	release_lab();
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

static uint32_t model_ticks(double cycles)
{
	return (uint32_t)(cycles * MODEL_TICKS + 0.5);
}

/*
 * Something for instructions, and what a fetch takes that hits the first of
 * each kind: the first cache, and the first TLB also where that is no nearer
 * than the second level.
 */
static void look_for_fetches(const struct profile *p)
{
	int cache = INT_MAX, tlb = INT_MAX;
	uint32_t translated = 0, cached = 0;

	for (size_t i = 0; i < p->tlb_count; i++) {
		const struct profile_tlb *t = &p->tlbs[i];

		if (t->type == PROFILE_DATA || t->level >= tlb)
			continue;
		tlb = t->level;
		lab.fetches = true;
		translated = model_ticks(t->latency_cycles);
	}
	for (size_t i = 0; i < p->cache_count; i++) {
		const struct profile_cache *c = &p->caches[i];

		if (c->type == PROFILE_DATA || c->level >= cache)
			continue;
		cache = c->level;
		lab.fetches |= cache == 1;
		cached = model_ticks(c->latency_cycles);
	}
	lab.fetch_ticks = translated + cached;
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
	for (size_t i = 0; i < lab.profile->cache_count; i++)
		if (lab.profile->caches[i].line_bytes < lab.line_bytes)
			lab.line_bytes = lab.profile->caches[i].line_bytes;
	look_for_fetches(lab.profile);
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
	if (!tsc_from_clock())
		fputs("lab: the guest has the host's time-stamp counter\n",
		      stderr);
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
