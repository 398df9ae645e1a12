// SPDX-License-Identifier: GPL-2.0
#include "machine/machine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/load.h"

static int by_length(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int region_list_extents(struct region *region, const uint64_t *phys,
			size_t count, uint64_t unit_bytes)
{
	struct extent *e = calloc(count, sizeof(*e));
	size_t found = 0;

	if (!e)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (found && phys[i] &&
		    e[found - 1].phys + e[found - 1].bytes == phys[i])
			e[found - 1].bytes += unit_bytes;
		else
			e[found++] = (struct extent){ .offset = i * unit_bytes,
						      .phys = phys[i],
						      .bytes = unit_bytes };
	}
	qsort(e, found, sizeof(*e), by_length);
	free(region->extents);
	region->extents = e;
	region->extent_count = found;
	region->phys_known = phys[0] != 0;
	return 0;
}

const char *machine_counter_name(enum machine_counter counter)
{
	static const char *const names[MACHINE_COUNTERS] = {
		[COUNTER_CYCLES] = "cycles",
		[COUNTER_LOADS] = "loads",
		[COUNTER_L1D_MISS] = "l1d_miss",
		[COUNTER_L2_MISS] = "l2_miss",
		[COUNTER_L3_MISS] = "l3_miss",
		[COUNTER_DTLB_MISS] = "dtlb_miss",
		[COUNTER_STLB_MISS] = "stlb_miss",
		[COUNTER_ITLB_MISS] = "itlb_miss",
		[COUNTER_L1I_MISS] = "l1i_miss",
		[COUNTER_INSTRUCTIONS] = "instructions",
		[COUNTER_L1D_WRITE_MISS] = "l1d_write_miss",
		[COUNTER_L2_WRITE_MISS] = "l2_write_miss",
		[COUNTER_L3_WRITE_MISS] = "l3_write_miss",
	};

	return counter < MACHINE_COUNTERS ? names[counter] : "unknown";
}

void machine_note(struct machine *m, const char *format, ...)
{
	va_list args;

	if (m->note_count >= sizeof(m->notes) / sizeof(m->notes[0]))
		return;
	va_start(args, format);
	vsnprintf(m->notes[m->note_count], sizeof(m->notes[0]), format, args);
	va_end(args);
	for (size_t i = 0; i < m->note_count; i++)
		if (!strcmp(m->notes[i], m->notes[m->note_count]))
			return;
	m->note_count++;
}

void machine_count_walk(struct machine *m, size_t length,
			const struct walk_plan *plan,
			const struct sample *samples)
{
	struct machine_conditions *c = &m->conditions;
	uint64_t before = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		if (plan->steps[i].kind != STEP_FLUSH)
			before += plan->steps[i].lines->length;
	for (unsigned int i = 0; i < plan->samples; i++) {
		c->samples++;
		c->disturbed += samples[i].disturbed;
		c->accesses += before + samples[i].loads;
	}
	if (!plan->step_count && !(plan->flags & WALK_STORES))
		c->accesses += (uint64_t)plan->warm_rounds * length;
}

void machine_count_touch(struct machine *m, const struct touch_plan *plan)
{
	for (size_t i = 0; i < plan->before_count; i++)
		m->conditions.accesses +=
			plan->before[i].rounds * plan->before[i].pages->length;
	m->conditions.accesses += plan->test.pages->length;
}

void machine_void_samples(struct machine *m, const struct walk_plan *plan,
			  struct sample *samples)
{
	for (unsigned int i = 0; i < plan->samples; i++) {
		m->conditions.disturbed += !samples[i].disturbed;
		samples[i].disturbed = true;
	}
}

void machine_set_virtual(struct machine *m)
{
	m->virtual_machine = true;
	machine_note(
		m,
		"virtual machine: physical addresses are guest-physical, what backs them is unknown");
}

bool machine_offers_pages(const struct machine *m, uint64_t page_bytes,
			  size_t *index)
{
	for (size_t i = 0; i < m->view_page_count; i++)
		if (m->view_page_bytes[i] == page_bytes) {
			if (index)
				*index = i;
			return true;
		}
	return false;
}

void machine_close(struct machine *m)
{
	if (!m)
		return;
	load_stop(m->load);
	m->ops->close(m);
}

int walk_check_offsets(const struct machine *m, const struct sequence *s,
		       struct failure *f)
{
	for (size_t i = 0; i < s->length; i++) {
		unsigned long long offset = s->offsets[i];

		if (offset % sizeof(uint64_t))
			return fail(
				f, STATUS_FAILED, EINVAL,
				"walk: offset %#llx: not a multiple of 8 (report this as a bug)",
				offset);
		if (offset >= m->region.bytes)
			return fail(
				f, STATUS_FAILED, ERANGE,
				"walk: offset %#llx: beyond the region of %#llx bytes (give more memory)",
				offset, (unsigned long long)m->region.bytes);
	}
	return 0;
}

int walk_check_flushes(const struct machine *m, const struct sequence *s,
		       const struct walk_plan *plan, struct failure *f)
{
	size_t before = 0;

	for (size_t i = 0; i < plan->flush_count; i++) {
		const struct walk_flush *flush = &plan->flushes[i];

		if (flush->at < before || flush->at > s->length ||
		    flush->offset >= m->region.bytes)
			return fail(
				f, STATUS_FAILED, ERANGE,
				"walk: flush %zu: out of order, or beyond the sequence or the region (report this as a bug)",
				i + 1);
		before = flush->at;
	}
	return 0;
}

int walk_check_each(const struct sequence *s, const struct walk_plan *plan,
		    struct failure *f)
{
	const uint64_t rounds = walk_each_loads(s->length, plan) / s->length;
	bool any = false;

	if (plan->samples != 1 || plan->flags || plan->flush_count ||
	    plan->counters)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"walk: loads are timed one by one in one plain sample (report this as a bug)");
	for (size_t i = 0; i < s->length; i++) {
		any = any || walk_each_times(plan->each, i);
		if (s->offsets[i] % WALK_EACH_BYTES)
			return fail(
				f, STATUS_FAILED, EINVAL,
				"walk: offset %#llx: not a multiple of %d (report this as a bug)",
				(unsigned long long)s->offsets[i],
				WALK_EACH_BYTES);
	}
	if (!any || !((double)rounds * plan->each->most_ticks < UINT32_MAX))
		return fail(
			f, STATUS_FAILED, EINVAL,
			"walk: %s (report this as a bug)",
			any ? "loads may take more ticks than can be added up" :
			      "no load is timed");
	return 0;
}

uint64_t walk_each_loads(size_t length, const struct walk_plan *plan)
{
	uint64_t rounds = (plan->loads + length - 1) / length;

	if (plan->step_count)
		return length;
	return (rounds ? rounds : 1) * length;
}

struct machine_description machine_describe(const struct machine *m)
{
	struct machine_description d = {
		.kind = m->ops->kind,
		.name = m->name,
		.cpu = m->cpu,
		.virtual_machine = m->virtual_machine,
		.region = &m->region,
		.timer = &m->timer,
		.prefetchers = &m->prefetchers,
		.conditions = &m->conditions,
		.notes = m->notes,
		.note_count = m->note_count,
	};

	for (unsigned int i = 0; i < MACHINE_COUNTERS; i++)
		if (m->counters >> i & 1)
			d.counters[d.counter_count++] =
				machine_counter_name((enum machine_counter)i);
	return d;
}
