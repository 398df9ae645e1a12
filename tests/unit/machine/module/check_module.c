// SPDX-License-Identifier: GPL-2.0
/* The tool's side of the module, as far as it needs no kernel. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "machine/module/ioctl.h"
#include "machine/module/memory.h"
#include "machine/module/names.h"
#include "machine/module/walk.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

START_TEST(ioctl_on_nothing)
{
	struct probe_phys_info info = { 0 };

	ck_assert_int_eq(module_info(-1, &info), -EBADF);
	ck_assert_uint_eq(info.size, sizeof(info));
}
END_TEST

START_TEST(ioctl_on_another_device)
{
	struct probe_phys_walk walk = { 0 };
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(module_walk(fd, &walk), -ENOTTY);
	ck_assert_uint_eq(walk.size, sizeof(walk));
	close(fd);
}
END_TEST

START_TEST(names_of_unknown_numbers)
{
	ck_assert_str_eq(module_rung_name(0), "unknown rung");
	ck_assert_str_eq(module_rung_name(3), "unknown rung");
	ck_assert_str_eq(module_event_name(0), "unknown");
	ck_assert_str_eq(module_event_name(PROBE_PHYS_EVENT_MAX + 1),
			 "unknown");
	ck_assert_str_eq(module_event_name(UINT32_MAX), "unknown");
	ck_assert_ptr_null(module_feature_name(63));
	ck_assert_ptr_null(module_prefetcher_name(31));
}
END_TEST

START_TEST(names_of_all_numbers)
{
	for (uint32_t kind = 1; kind <= PROBE_PHYS_EVENT_MAX; kind++)
		ck_assert_str_ne(module_event_name(kind), "unknown");
	for (uint32_t rung = 1; rung & PROBE_PHYS_RUNG_ALL; rung <<= 1)
		ck_assert_str_ne(module_rung_name(rung), "unknown rung");
	for (unsigned int bit = 0; PROBE_PHYS_PREFETCH_ALL >> bit; bit++)
		ck_assert_ptr_nonnull(module_prefetcher_name(bit));
	for (unsigned int bit = 0; PROBE_PHYS_FEATURE_VIRTUAL >> bit; bit++)
		ck_assert_ptr_nonnull(module_feature_name(bit));
}
END_TEST

START_TEST(rounds_are_whole)
{
	static const struct {
		uint64_t length;
		unsigned int loads;
		uint32_t rounds;
	} table[] = {
		{ 1, 0, 1 }, { 1, 1, 1 },	  { 1, 100, 100 },
		{ 3, 9, 3 }, { 3, 10, 4 },	  { 8, 7, 1 },
		{ 8, 8, 1 }, { 1 << 22, 100, 1 }, { 1, UINT32_MAX, UINT32_MAX },
	};

	ck_assert_uint_eq(module_rounds(table[_i].length, table[_i].loads),
			  table[_i].rounds);
}
END_TEST

static struct probe_phys_sample slice(uint64_t ticks, uint64_t loads,
				      uint32_t flags)
{
	return (struct probe_phys_sample){
		.ticks = ticks,
		.ns = ticks / 2,
		.loads = loads,
		.flags = flags,
	};
}

START_TEST(fold_whole_slices)
{
	const struct module_clock clock = { .overhead_ticks = 10 };
	struct module_fold fold = { .clock = &clock, .loads = 8 };
	const struct probe_phys_sample slices[] = {
		slice(110, 8, 0),
		slice(5, 8, PROBE_PHYS_SAMPLE_LATE),
		slice(20, 8, PROBE_PHYS_SAMPLE_SMI),
	};
	struct sample samples[3];

	ck_assert_uint_eq(module_fold(&fold, slices, 3, samples, 3), 3);
	ck_assert_double_eq(samples[0].ticks, 100);
	ck_assert_uint_eq(samples[0].loads, 8);
	ck_assert(!samples[0].disturbed);
	/* Less than the overhead is nothing, not a negative time. */
	ck_assert_double_eq(samples[1].ticks, 0);
	ck_assert(samples[1].disturbed);
	ck_assert(samples[2].disturbed);
	ck_assert_uint_eq(fold.open.loads, 0);
}
END_TEST

START_TEST(fold_split_slices)
{
	const struct module_clock clock = { .overhead_ticks = 10 };
	struct module_fold fold = { .clock = &clock, .loads = 8 };
	const struct probe_phys_sample slices[] = {
		slice(60, 3, PROBE_PHYS_SAMPLE_SPLIT),
		slice(60, 4, PROBE_PHYS_SAMPLE_SPLIT | PROBE_PHYS_SAMPLE_LATE),
		slice(30, 1, PROBE_PHYS_SAMPLE_SPLIT),
		slice(60, 3, PROBE_PHYS_SAMPLE_SPLIT),
		slice(60, 5, 0),
	};
	struct sample samples[4];

	ck_assert_uint_eq(module_fold(&fold, slices, 4, samples, 4), 1);
	ck_assert_double_eq(samples[0].ticks, 120);
	ck_assert_uint_eq(samples[0].loads, 8);
	ck_assert(samples[0].disturbed);
	/* What is open is completed by the next call. */
	ck_assert_uint_eq(fold.open.loads, 3);
	ck_assert_uint_eq(module_fold(&fold, slices + 4, 1, samples, 4), 1);
	ck_assert_double_eq(samples[0].ticks, 100);
	ck_assert(!samples[0].disturbed);
}
END_TEST

START_TEST(fold_stays_in_its_room)
{
	const struct module_clock clock = { 0 };
	struct module_fold fold = { .clock = &clock, .loads = 1 };
	const struct probe_phys_sample slices[] = {
		slice(1, 1, 0),
		slice(2, 1, 0),
		slice(3, 1, 0),
	};
	struct sample samples[3] = { { .ticks = -1 },
				     { .ticks = -1 },
				     { .ticks = -1 } };

	ck_assert_uint_eq(module_fold(&fold, slices, 3, samples, 2), 2);
	ck_assert_double_eq(samples[1].ticks, 2);
	ck_assert_double_eq(samples[2].ticks, -1);
	ck_assert_uint_eq(module_fold(&fold, slices, 0, samples, 2), 0);
}
END_TEST

START_TEST(fold_converts_nanoseconds)
{
	const struct module_clock clock = {
		.ticks_per_ns = 3,
		.overhead_ticks = 30,
	};
	struct module_fold fold = { .clock = &clock, .loads = 1 };
	const struct probe_phys_sample one = slice(200, 1, 0);
	struct sample sample;

	ck_assert_uint_eq(module_fold(&fold, &one, 1, &sample, 1), 1);
	ck_assert_double_eq(sample.ticks, 270);
}
END_TEST

#define KIB 1024
#define MIB (1024 * KIB)

static const struct {
	uint64_t view_bytes;
	uint64_t walk_bytes;
	uint64_t want_bytes;
	const char *note;
} walked[] = {
	{ 2 * MIB, 2 * MIB, 2 * MIB, NULL },
	{ 2 * MIB, 1024 * MIB, 2 * MIB, NULL },
	{ 4 * KIB, 2 * MIB, 4 * KIB, NULL },
	{ 2 * MIB, 4 * KIB, 4 * KIB, "go by pages of 4 KiB" },
	{ 32 * MIB, 64 * KIB, 64 * KIB, "go by pages of 64 KiB" },
	{ 2 * MIB, 0, 4 * KIB, "taken to go by pages of 4 KiB" },
	{ 4 * KIB, 0, 4 * KIB, NULL },
};

START_TEST(region_has_the_smaller_pages)
{
	struct machine m = { .region.page_bytes = walked[_i].view_bytes };

	module_walked_by(&m, walked[_i].walk_bytes, 4 * KIB);
	ck_assert_uint_eq(m.region.page_bytes, walked[_i].want_bytes);
	ck_assert_uint_eq(m.note_count, walked[_i].note ? 1 : 0);
	if (walked[_i].note)
		ck_assert_ptr_nonnull(strstr(m.notes[0], walked[_i].note));
}
END_TEST

START_TEST(walk_on_another_device)
{
	struct module_walker walker = {
		.buffer = open("/dev/null", O_RDWR | O_CLOEXEC),
	};
	uint64_t offset = 0;
	struct sequence sequence = { .offsets = &offset, .length = 1 };
	const struct walk_plan plan = { .samples = 1 };
	struct failure failure = { 0 };
	struct sample sample;

	ck_assert_int_eq(module_walker_walk(&walker, &sequence, &plan, &sample,
					    &failure),
			 -ENOTTY);
	ck_assert_str_ne(failure.text, "");
	failure.text[0] = '\0';
	sequence.length = 0;
	ck_assert_int_eq(module_walker_walk(&walker, &sequence, &plan, &sample,
					    &failure),
			 -EINVAL);
	close(walker.buffer);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *contract = tcase_create("contract");
	TCase *walks = tcase_create("walks");

	tcase_add_test(contract, ioctl_on_nothing);
	tcase_add_test(contract, ioctl_on_another_device);
	tcase_add_test(contract, names_of_unknown_numbers);
	tcase_add_test(contract, names_of_all_numbers);
	suite_add_tcase(suite, contract);

	tcase_add_loop_test(walks, rounds_are_whole, 0, 9);
	tcase_add_test(walks, fold_whole_slices);
	tcase_add_test(walks, fold_split_slices);
	tcase_add_test(walks, fold_stays_in_its_room);
	tcase_add_test(walks, fold_converts_nanoseconds);
	tcase_add_test(walks, walk_on_another_device);
	tcase_add_loop_test(walks, region_has_the_smaller_pages, 0,
			    sizeof(walked) / sizeof(walked[0]));
	suite_add_tcase(suite, walks);
	return suite;
}
