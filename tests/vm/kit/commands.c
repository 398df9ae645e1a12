// SPDX-License-Identifier: GPL-2.0
/* commands.c - all commands of the device in one table, with good arguments. */
#include <linux/perf_event.h>

#include "kit/commands.h"

/*
 * Outputs lie far from all else that is mapped: where a test spoils one byte of
 * their address, the kernel writes into these bytes or nowhere, not into the data
 * of the test.
 */
#define OUTPUTS_AT (UINT64_C(1) << 44)
#define OUTPUTS_BYTES (UINT64_C(2) << 24)
#define OUTPUTS 4

static const uint64_t offsets[] = { 0, 64, 128 };

static uintptr_t outputs(void)
{
	static void *map;

	if (!map)
		map = mmap((void *)OUTPUTS_AT, OUTPUTS_BYTES,
			   PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				   MAP_FIXED_NOREPLACE,
			   -1, 0);
	ck_assert_ptr_ne(map, MAP_FAILED);
	return (uintptr_t)map;
}

static void fill_nothing(void *arg, const struct t_fds *fds)
{
	(void)arg;
	(void)fds;
}

static void fill_buffer_create(void *arg, const struct t_fds *fds)
{
	struct probe_phys_buffer_create *c = arg;

	(void)fds;
	c->bytes = T_PAGE;
	c->node = PROBE_PHYS_NODE_ANY;
}

static void fill_extents(void *arg, const struct t_fds *fds)
{
	struct probe_phys_buffer_extents *e = arg;

	(void)fds;
	e->extents = outputs();
	e->count = OUTPUTS;
}

static void fill_buffer_flush(void *arg, const struct t_fds *fds)
{
	struct probe_phys_buffer_flush *f = arg;

	(void)fds;
	f->bytes = T_PAGE;
}

static void fill_view_create(void *arg, const struct t_fds *fds)
{
	struct probe_phys_view_create *v = arg;

	(void)fds;
	v->bytes = T_PAGE;
	v->page_bytes = T_PAGE;
}

static void fill_resolve(void *arg, const struct t_fds *fds)
{
	struct probe_phys_view_resolve *r = arg;

	r->address = (uintptr_t)fds->at;
}

static void fill_accessed(void *arg, const struct t_fds *fds)
{
	struct probe_phys_view_accessed *a = arg;

	a->address = (uintptr_t)fds->at;
	a->bytes = T_PAGE;
}

static void fill_counters_create(void *arg, const struct t_fds *fds)
{
	struct probe_phys_counters_create *c = arg;

	(void)fds;
	c->cpu = -1;
	c->nr_events = 1;
	c->events[0].type = PERF_TYPE_SOFTWARE;
}

static void fill_control(void *arg, const struct t_fds *fds)
{
	struct probe_phys_counters_control *c = arg;

	(void)fds;
	c->op = PROBE_PHYS_COUNTERS_START;
}

static void fill_walk(void *arg, const struct t_fds *fds)
{
	struct probe_phys_walk *w = arg;

	(void)fds;
	w->offsets = (uintptr_t)offsets;
	w->nr_offsets = T_LENGTH(offsets);
	w->samples = outputs();
	w->max_samples = OUTPUTS;
	w->rounds = 1;
	w->cpu = -1;
	w->counters_fd = -1;
}

#define COMMAND(NAME, type)                          \
	.name = #NAME, .cmd = PROBE_PHYS_IOC_##NAME, \
	.size = sizeof(struct probe_phys_##type)
#define AT(type, field) offsetof(struct probe_phys_##type, field)

const struct t_command t_commands[] = {
	{ COMMAND(INFO, info), .kind = T_SESSION, .fill = fill_nothing,
	  .writes = true },
	{ COMMAND(FLUSH_ALL, flush_all), .kind = T_SESSION,
	  .fill = fill_nothing, .known_flags = PROBE_PHYS_FLUSH_ALL_CPUS,
	  .reserved = AT(flush_all, reserved),
	  .needs = T_FLUSH_ALL == EOPNOTSUPP },
	{ COMMAND(PREFETCH, prefetch), .kind = T_SESSION, .fill = fill_nothing,
	  .reserved = AT(prefetch, reserved), .writes = true, .needs = true },
	{ COMMAND(BUFFER_CREATE, buffer_create), .kind = T_SESSION,
	  .fill = fill_buffer_create,
	  .reserved = AT(buffer_create, walk_page_bytes),
	  .made = AT(buffer_create, fd), .writes = true },
	{ COMMAND(BUFFER_INFO, buffer_info), .kind = T_BUFFER,
	  .fill = fill_nothing, .writes = true },
	{ COMMAND(BUFFER_EXTENTS, buffer_extents), .kind = T_BUFFER,
	  .fill = fill_extents, .writes = true },
	{ COMMAND(BUFFER_FLUSH, buffer_flush), .kind = T_BUFFER,
	  .fill = fill_buffer_flush },
	{ COMMAND(VIEW_CREATE, view_create), .kind = T_BUFFER,
	  .fill = fill_view_create,
	  .known_flags = PROBE_PHYS_VIEW_EXEC | PROBE_PHYS_VIEW_DESCENDING,
	  .made = AT(view_create, fd), .writes = true },
	{ COMMAND(VIEW_RESOLVE, view_resolve), .kind = T_VIEW,
	  .fill = fill_resolve, .reserved = AT(view_resolve, reserved),
	  .writes = true },
	{ COMMAND(VIEW_FLUSH, view_flush), .kind = T_VIEW, .fill = fill_nothing,
	  .known_flags = PROBE_PHYS_VIEW_FLUSH_ENTRIES },
	{ COMMAND(VIEW_ACCESSED, view_accessed),
	  .first_size = PROBE_PHYS_VIEW_ACCESSED_SIZE_0, .kind = T_VIEW,
	  .fill = fill_accessed, .known_flags = PROBE_PHYS_VIEW_ACCESSED_CLEAR,
	  .reserved = AT(view_accessed, reserved), .writes = true },
	{ COMMAND(COUNTERS_CREATE, counters_create), .kind = T_SESSION,
	  .fill = fill_counters_create,
	  .known_flags = PROBE_PHYS_COUNTERS_DISABLED,
	  .made = AT(counters_create, fd), .writes = true },
	{ COMMAND(COUNTERS_CONTROL, counters_control), .kind = T_COUNTERS,
	  .fill = fill_control, .reserved = AT(counters_control, reserved) },
	{ COMMAND(COUNTERS_READ, counters_read), .kind = T_COUNTERS,
	  .fill = fill_nothing, .writes = true },
	{ COMMAND(WALK, walk), .kind = T_BUFFER, .fill = fill_walk,
	  .known_flags = PROBE_PHYS_WALK_FLUSH_FIRST,
	  .reserved = AT(walk, reserved), .writes = true },
};

const size_t t_nr_commands = T_LENGTH(t_commands);

struct t_fds t_all_fds(void)
{
	T_ARG(counters_create, c, .cpu = -1, .nr_events = 1,
	      .events = { { .type = PERF_TYPE_SOFTWARE } });
	struct t_fds fds;

	fds.of[T_SESSION] = t_session();
	fds.of[T_BUFFER] = t_buffer(fds.of[T_SESSION], T_PAGE, 0);
	fds.of[T_VIEW] = t_view(fds.of[T_BUFFER], 0, T_PAGE, T_PAGE, 0);
	t_want(0, fds.of[T_SESSION], PROBE_PHYS_IOC_COUNTERS_CREATE, &c);
	fds.of[T_COUNTERS] = c.fd;
	fds.at = t_map(fds.of[T_VIEW], T_PAGE);
	fds.at[0] = 1;
	return fds;
}

char *t_edge_page(void)
{
	char *map = mmap(NULL, 2 * T_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(map, MAP_FAILED);
	/* Kept, so that no later mapping comes to lie there. */
	ck_assert_int_eq(mprotect(map + T_PAGE, T_PAGE, PROT_NONE), 0);
	return map;
}

void t_fill(const struct t_command *c, const struct t_fds *fds, void *arg,
	    size_t room)
{
	memset(arg, 0, room);
	*(uint32_t *)arg = c->size;
	c->fill(arg, fds);
	/* What an earlier test dropped must be there to be resolved. */
	*(volatile char *)fds->at = 1;
}

void t_run(const struct t_command *c, const struct t_fds *fds, void *arg,
	   int want, const char *what)
{
	int got = t_do(fds->of[c->kind], c->cmd, arg);

	if (!want && c->needs && got == EOPNOTSUPP)
		got = 0;
	ck_assert_msg(got == want, "%s, %s: %s, wanted %s", c->name, what,
		      t_errno(got), t_errno(want));
	if (!got && c->made)
		close(*(int *)((char *)arg + c->made));
}
