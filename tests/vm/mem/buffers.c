// SPDX-License-Identifier: GPL-2.0
/* buffers.c - BUFFER_CREATE, BUFFER_INFO, BUFFER_EXTENTS. */
#include <stdlib.h>

#include "kit/t.h"

/* Extents of a buffer, checked against what was promised about them. */
static void check_extents(int buffer, const struct probe_phys_buffer_create *c)
{
	struct probe_phys_extent *e = calloc(c->nr_extents, sizeof(*e));
	T_ARG(buffer_extents, list, .extents = (uintptr_t)e,
	      .count = c->nr_extents);
	uint64_t sum = 0, align = c->align_bytes ? c->align_bytes : T_PAGE;

	t_want(0, buffer, PROBE_PHYS_IOC_BUFFER_EXTENTS, &list);
	ck_assert_uint_eq(list.count, c->nr_extents);
	for (uint32_t i = 0; i < c->nr_extents; i++) {
		sum += e[i].bytes;
		ck_assert_uint_gt(e[i].bytes, 0);
		ck_assert_uint_eq(e[i].bytes % T_PAGE, 0);
		ck_assert_uint_eq(e[i].phys % align, 0);
		if (c->min_extent_bytes)
			ck_assert_uint_ge(e[i].bytes, c->min_extent_bytes);
		if (i)
			ck_assert_uint_le(e[i].bytes, e[i - 1].bytes);
		for (uint32_t j = 0; j < i; j++)
			ck_assert(e[i].phys + e[i].bytes <= e[j].phys ||
				  e[j].phys + e[j].bytes <= e[i].phys);
	}
	ck_assert_uint_eq(sum, c->bytes);
	free(e);
}

static void check_walk_pages(const struct probe_phys_buffer_create *c)
{
	uint64_t page = c->walk_page_bytes;

	ck_assert_msg(page == T_PAGE || page == T_PMD || page == T_GIB,
		      "walked by pages of %#llx", (unsigned long long)page);
}

static void check_made(const struct probe_phys_buffer_create *c,
		       uint64_t wanted)
{
	struct probe_phys_buffer_info info = t_buffer_info(c->fd);

	ck_assert_uint_gt(c->bytes, 0);
	ck_assert_uint_le(c->bytes, wanted);
	ck_assert_uint_ge(c->nr_extents, 1);
	ck_assert_uint_ge(c->largest_bytes, t_extent(c->fd, 0).bytes);
	ck_assert_uint_ne(c->id, 0);
	ck_assert_uint_eq(info.id, c->id);
	ck_assert_uint_eq(info.bytes, c->bytes);
	ck_assert_uint_eq(info.nr_extents, c->nr_extents);
	ck_assert_uint_eq(info.rung, c->rung);
	ck_assert_int_eq(info.node, 0);
	ck_assert_uint_eq(info.nr_views, 0);
	check_walk_pages(c);
	check_extents(c->fd, c);
}

static const struct {
	const char *name;
	uint64_t bytes, min, align, min_extent;
	uint32_t rungs, rung;
} made[] = {
	{ "one_page", T_PAGE, T_PAGE, 0, 0, 0, 0 },
	{ "three_pages", 3 * T_PAGE, 3 * T_PAGE, 0, 0, 0, 0 },
	{ "contig_1M", T_MIB, T_MIB, 0, 0, PROBE_PHYS_RUNG_CONTIG,
	  PROBE_PHYS_RUNG_CONTIG },
	{ "contig_64M", 64 * T_MIB, 64 * T_MIB, 0, 0, PROBE_PHYS_RUNG_CONTIG,
	  PROBE_PHYS_RUNG_CONTIG },
	{ "contig_256M", 256 * T_MIB, 256 * T_MIB, 0, 256 * T_MIB, 0, 0 },
	{ "contig_odd_size", 5 * T_MIB + T_PAGE, 5 * T_MIB + T_PAGE, 0, 0,
	  PROBE_PHYS_RUNG_CONTIG, PROBE_PHYS_RUNG_CONTIG },
	{ "contig_aligned_2M", 8 * T_MIB, 8 * T_MIB, T_PMD, 0,
	  PROBE_PHYS_RUNG_CONTIG, PROBE_PHYS_RUNG_CONTIG },
	{ "contig_aligned_64M", 64 * T_MIB, 64 * T_MIB, 64 * T_MIB, 0,
	  PROBE_PHYS_RUNG_CONTIG, PROBE_PHYS_RUNG_CONTIG },
	{ "align_more_than_size", T_PAGE, T_PAGE, T_PMD, 0, 0, 0 },
	{ "buddy_page", T_PAGE, T_PAGE, 0, 0, PROBE_PHYS_RUNG_BUDDY,
	  PROBE_PHYS_RUNG_BUDDY },
	{ "buddy_64M", 64 * T_MIB, 64 * T_MIB, 0, 0, PROBE_PHYS_RUNG_BUDDY,
	  PROBE_PHYS_RUNG_BUDDY },
	{ "buddy_aligned_2M", 16 * T_MIB, 16 * T_MIB, T_PMD, T_PMD,
	  PROBE_PHYS_RUNG_BUDDY, PROBE_PHYS_RUNG_BUDDY },
	{ "buddy_min_extent", 16 * T_MIB, T_MIB, 0, 4 * T_MIB,
	  PROBE_PHYS_RUNG_BUDDY, PROBE_PHYS_RUNG_BUDDY },
	{ "both", 32 * T_MIB, 32 * T_MIB, 0, 0,
	  PROBE_PHYS_RUNG_CONTIG | PROBE_PHYS_RUNG_BUDDY, 0 },
	{ "less_will_do", 32 * T_MIB, T_PAGE, 0, 0, 0, 0 },
};

START_TEST(makes)
{
	T_ARG(buffer_create, c, .bytes = made[_i].bytes,
	      .min_bytes = made[_i].min, .align_bytes = made[_i].align,
	      .min_extent_bytes = made[_i].min_extent, .rungs = made[_i].rungs,
	      .node = PROBE_PHYS_NODE_ANY);

	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	check_made(&c, made[_i].bytes);
	ck_assert_uint_ge(c.bytes, made[_i].min);
	if (made[_i].rung)
		ck_assert_uint_eq(c.rung, made[_i].rung);
	ck_assert(c.rung == PROBE_PHYS_RUNG_CONTIG ||
		  c.rung == PROBE_PHYS_RUNG_BUDDY);
}
END_TEST

START_TEST(contig_is_one_extent)
{
	T_ARG(buffer_create, c, .bytes = 32 * T_MIB,
	      .rungs = PROBE_PHYS_RUNG_CONTIG, .node = 0);

	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_eq(c.bytes, 32 * T_MIB);
	ck_assert_uint_eq(c.nr_extents, 1);
}
END_TEST

START_TEST(two_buffers_apart)
{
	int session = t_session();
	struct probe_phys_extent a, b;

	a = t_extent(t_buffer(session, 8 * T_MIB, 0), 0);
	b = t_extent(t_buffer(session, 8 * T_MIB, 0), 0);
	ck_assert(a.phys + a.bytes <= b.phys || b.phys + b.bytes <= a.phys);
}
END_TEST

static bool all_bytes(const unsigned char *at, uint64_t bytes, int value)
{
	return at[0] == value && !memcmp(at, at + 1, bytes - 1);
}

/* What one owner wrote must not be seen by the next. */
static void zeroed_by(uint32_t rung)
{
	uint64_t bytes = 128 * T_MIB;

	for (int round = 0; round < 3; round++) {
		T_ARG(buffer_create, c, .bytes = bytes, .min_bytes = bytes,
		      .rungs = rung, .node = PROBE_PHYS_NODE_ANY);
		int session = t_session(), view;
		void *at;

		t_want(0, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
		view = t_view(c.fd, 0, bytes, T_PAGE, 0);
		at = t_map(view, bytes);
		ck_assert(all_bytes(at, bytes, 0));
		memset(at, 0xa5, bytes);
		ck_assert(all_bytes(at, bytes, 0xa5));
		t_unmap(at, bytes);
		close(view);
		close(c.fd);
		close(session);
	}
}

START_TEST(zeroed_contig)
{
	zeroed_by(PROBE_PHYS_RUNG_CONTIG);
}
END_TEST

START_TEST(zeroed_buddy)
{
	zeroed_by(PROBE_PHYS_RUNG_BUDDY);
}
END_TEST

/* Memory that processes have filled and freed is what comes next. */
START_TEST(zeroed_after_others)
{
	uint64_t bytes = 400 * T_MIB, wanted = 200 * T_MIB;
	char *dirt = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int buffer;

	ck_assert_ptr_ne(dirt, MAP_FAILED);
	memset(dirt, 0x5a, bytes);
	t_unmap(dirt, bytes);
	ck_assert(all_bytes(t_memory(t_session(), wanted, &buffer), wanted, 0));
}
END_TEST

START_TEST(min_too_much)
{
	struct probe_phys_info info = t_info(t_session());
	uint64_t much = 2048 * T_MIB;
	T_ARG(buffer_create, c, .bytes = much, .min_bytes = much, .fd = -7,
	      .node = PROBE_PHYS_NODE_ANY);

	if (info.max_buffer_bytes < much) {
		/* Capped below what the machine has: refused before. */
		t_want(ENOSPC, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
		return;
	}
	t_want(ENOMEM, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_gt(c.largest_bytes, 0);
	ck_assert_uint_lt(c.largest_bytes, T_GIB);
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

/* What the caps allow, but not in one piece when others hold memory. */
START_TEST(shortfall_gives_largest)
{
	uint64_t taken = 450 * T_MIB;
	char *others = mmap(NULL, taken, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	int session = t_session();
	uint64_t much = t_info(session).max_buffer_bytes & ~(T_PAGE - 1);
	T_ARG(buffer_create, c, .bytes = much, .min_bytes = much,
	      .min_extent_bytes = much, .node = PROBE_PHYS_NODE_ANY);

	ck_assert_ptr_ne(others, MAP_FAILED);
	t_want(ENOMEM, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	ck_assert_uint_ge(c.largest_bytes, 16 * T_MIB);
	ck_assert_uint_lt(c.largest_bytes, much);
	ck_assert_uint_eq(t_info(session).used_total_bytes, 0);
	t_unmap(others, taken);
}
END_TEST

static int touch_memory(void *arg)
{
	volatile char stack[65536];

	(void)arg;
	for (size_t i = 0; i < sizeof(stack); i += T_PAGE)
		stack[i] = 1;
	return 0;
}

START_TEST(grants_what_it_can)
{
	int session = t_session();
	struct probe_phys_info info = t_info(session);
	uint64_t much = info.max_buffer_bytes < 960 * T_MIB ?
				info.max_buffer_bytes :
				960 * T_MIB;
	T_ARG(buffer_create, c, .bytes = much & ~(T_PAGE - 1),
	      .node = PROBE_PHYS_NODE_ANY);

	t_want(0, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	check_made(&c, much);
	ck_assert_uint_ge(c.largest_bytes, 64 * T_MIB);
	/* The machine must go on living beside it. */
	ck_assert_int_eq(t_child(touch_memory, NULL), 0);
}
END_TEST

START_TEST(cap_of_session)
{
	int session = t_session();
	struct probe_phys_info info = t_info(session);
	T_ARG(buffer_create, c, .min_bytes = T_PAGE,
	      .bytes = info.max_buffer_bytes + T_PAGE,
	      .node = PROBE_PHYS_NODE_ANY);

	t_want(ENOSPC, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	c.bytes = ~(T_PAGE - 1);
	t_want(ENOSPC, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
}
END_TEST

START_TEST(cap_counts_what_is_held)
{
	int session = t_session();
	struct probe_phys_info info = t_info(session);
	int buffer = t_buffer(session, 4 * T_MIB, 0);
	T_ARG(buffer_create, c, .bytes = info.max_buffer_bytes,
	      .min_bytes = T_PAGE, .node = PROBE_PHYS_NODE_ANY);

	t_want(ENOSPC, session, PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	close(buffer);
	ck_assert_int_ne(t_do(session, PROBE_PHYS_IOC_BUFFER_CREATE, &c),
			 ENOSPC);
}
END_TEST

START_TEST(extents_in_pieces)
{
	T_ARG(buffer_create, c, .bytes = 64 * T_MIB,
	      .rungs = PROBE_PHYS_RUNG_BUDDY, .node = PROBE_PHYS_NODE_ANY);
	struct probe_phys_extent two[2] = { { 0 } };
	T_ARG(buffer_extents, e, .extents = (uintptr_t)two, .count = 2);
	uint64_t sum = 0;

	t_want(0, t_session(), PROBE_PHYS_IOC_BUFFER_CREATE, &c);
	while (e.first < c.nr_extents) {
		e.count = 2;
		t_want(0, c.fd, PROBE_PHYS_IOC_BUFFER_EXTENTS, &e);
		ck_assert_uint_ge(e.count, 1);
		for (uint32_t i = 0; i < e.count; i++)
			sum += two[i].bytes;
		e.first += e.count;
	}
	ck_assert_uint_eq(sum, c.bytes);
	e.count = 2;
	t_want(0, c.fd, PROBE_PHYS_IOC_BUFFER_EXTENTS, &e);
	ck_assert_uint_eq(e.count, 0);
	e.first = UINT32_MAX;
	e.count = 2;
	t_want(0, c.fd, PROBE_PHYS_IOC_BUFFER_EXTENTS, &e);
	ck_assert_uint_eq(e.count, 0);
}
END_TEST

START_TEST(ids_are_unique)
{
	int session = t_session();
	uint64_t last = 0;

	for (int i = 0; i < 20; i++) {
		int buffer = t_buffer(session, T_PAGE, 0);
		uint64_t id = t_buffer_info(buffer).id;

		ck_assert_uint_gt(id, last);
		last = id;
		close(buffer);
	}
}
END_TEST

START_TEST(buffer_outlives_session)
{
	int session = t_session(), buffer;
	char *at = t_memory(session, T_PAGE, &buffer);

	close(session);
	at[0] = 1;
	ck_assert_uint_eq(t_buffer_info(buffer).bytes, T_PAGE);
	ck_assert_uint_eq(t_used(), T_PAGE);
	close(buffer);
	at[1] = 1;
	ck_assert_uint_eq(t_used(), T_PAGE);
	t_unmap(at, T_PAGE);
	ck_assert_uint_eq(t_used(), 0);
}
END_TEST

START_TEST(nr_views_counts)
{
	int buffer = t_buffer(t_session(), 2 * T_PAGE, 0);
	int a = t_view(buffer, 0, T_PAGE, T_PAGE, 0);
	int b = t_view(buffer, T_PAGE, T_PAGE, T_PAGE, 0);

	ck_assert_uint_eq(t_buffer_info(buffer).nr_views, 2);
	close(a);
	ck_assert_uint_eq(t_buffer_info(buffer).nr_views, 1);
	close(b);
	ck_assert_uint_eq(t_buffer_info(buffer).nr_views, 0);
}
END_TEST

Suite *t_suite_buffers(void)
{
	Suite *suite = suite_create("buffers");
	TCase *tc = t_case(suite, "buffers");

	tcase_add_test(tc, contig_is_one_extent);
	tcase_add_test(tc, two_buffers_apart);
	tcase_add_test(tc, zeroed_contig);
	tcase_add_test(tc, zeroed_buddy);
	tcase_add_test(tc, zeroed_after_others);
	tcase_add_test(tc, min_too_much);
	tcase_add_test(tc, shortfall_gives_largest);
	tcase_add_test(tc, grants_what_it_can);
	tcase_add_test(tc, cap_of_session);
	tcase_add_test(tc, cap_counts_what_is_held);
	tcase_add_test(tc, extents_in_pieces);
	tcase_add_test(tc, ids_are_unique);
	tcase_add_test(tc, buffer_outlives_session);
	tcase_add_test(tc, nr_views_counts);
	for (size_t i = 0; i < T_LENGTH(made); i++)
		tcase_add_loop_test(t_case(suite, made[i].name), makes, (int)i,
				    (int)i + 1);
	return suite;
}
