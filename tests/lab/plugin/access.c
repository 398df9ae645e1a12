// SPDX-License-Identifier: GPL-2.0
/*
 * access.c - accesses, their time, and the counters.
 *
 * An access takes what the model says, arithmetic on registers one cycle each:
 * chains of dependent instructions are what measurements consist of. All other
 * instructions are thought to be done beside them, as by a processor that
 * executes out of order.
 */
#include "lab.h"

#include "clock.h"

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
void count_running(void)
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

static void answer(unsigned int vcpu, uint64_t request)
{
	struct lab_cpu *page = &lab.bar->cpu[vcpu];
	struct cpu *c = &lab.cpus[vcpu];

	for (int i = 0; i < PROFILE_COUNTERS; i++)
		page->values[i] =
			model_counter(lab.model, vcpu, (enum profile_counter)i);
	give_arithmetic(c);
	page->values[PROFILE_COUNTER_CYCLES] = c->ticks / MODEL_TICKS;
	page->values[PROFILE_COUNTER_INSTRUCTIONS] = c->board->instructions;
	c->answered = request;
	__atomic_store_n(&page->reply, request, __ATOMIC_RELEASE);
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
	uint64_t offset = virt & (lab.line_bytes - 1);
	uint32_t ticks;

	give_arithmetic(&lab.cpus[vcpu]);
	ticks = access_line(vcpu, virt, kind);
	if (offset + (1U << qemu_plugin_mem_size_shift(info)) > lab.line_bytes)
		ticks +=
			access_line(vcpu, virt - offset + lab.line_bytes, kind);
	give_time(&lab.cpus[vcpu], ticks);
}

void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t virt,
	       void *unused)
{
	struct cpu *c = &lab.cpus[vcpu];
	bool want = wanted(vcpu);
	uint64_t request = lab.bar->cpu[vcpu].request;

	(void)unused;
	if (!want && !c->active && request == c->answered)
		return;
	take_lab();
	if (want != c->active)
		activate(vcpu, want);
	if (request != c->answered)
		answer(vcpu, request);
	if (want)
		access_modelled(vcpu, info, virt);
	release_lab();
}

/*
 * Fetches that hit the first level are hidden behind execution, and the lines
 * of a short loop are not fetched again; in another page they have to be
 * translated.
 */
void on_fetch(unsigned int vcpu, void *line)
{
	struct cpu *c = &lab.cpus[vcpu];
	uint64_t *fetched =
		&c->fetched[(uintptr_t)line / lab.line_bytes % FETCHED];
	uint64_t page = (uintptr_t)line / 4096;
	uint32_t ticks;

	if (!c->active || (*fetched == (uintptr_t)line && c->page == page))
		return;
	*fetched = (uintptr_t)line;
	c->page = page;
	take_lab();
	ticks = access_line(vcpu, (uintptr_t)line, MODEL_FETCH);
	if (ticks > lab.fetch_ticks)
		give_time(&lab.cpus[vcpu], ticks - lab.fetch_ticks);
	release_lab();
}
