// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdint.h>

#include "base/parse.h"
#include "suites.h"

START_TEST(numbers)
{
	static const struct {
		const char *text;
		int error;
		uint64_t value;
	} table[] = {
		{ "0", 0, 0 },	       { "10", 0, 10 },
		{ "0x10", 0, 16 },     { "100", 0, 100 },
		{ "101", -ERANGE, 0 }, { "", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },  { "1 ", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },  { "+1", -EINVAL, 0 },
		{ "1x", -EINVAL, 0 },  { "x", -EINVAL, 0 },
		{ "inf", -EINVAL, 0 }, { "1e3", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },  { "99999999999999999999", -ERANGE, 0 },
	};
	uint64_t value = 7;

	ck_assert_int_eq(parse_number(table[_i].text, 0, 100, &value),
			 table[_i].error);
	ck_assert_uint_eq(value, table[_i].error ? 7 : table[_i].value);
}
END_TEST

START_TEST(bounds)
{
	uint64_t value;

	ck_assert_int_eq(parse_number("4", 5, 9, &value), -ERANGE);
	ck_assert_int_eq(parse_number("5", 5, 9, &value), 0);
	ck_assert_int_eq(parse_number("9", 5, 9, &value), 0);
	ck_assert_int_eq(
		parse_number("18446744073709551615", 0, UINT64_MAX, &value), 0);
	ck_assert_uint_eq(value, UINT64_MAX);
}
END_TEST

START_TEST(lists_of_cpus)
{
	static const struct {
		const char *text;
		int error;
		size_t count;
		int cpus[4];
	} table[] = {
		{ "0", 0, 1, { 0 } },
		{ "1,3", 0, 2, { 1, 3 } },
		{ "8,0-2", 0, 4, { 8, 0, 1, 2 } },
		{ "65535", 0, 1, { 65535 } },
		{ "65536", -ERANGE, 0, { 0 } },
		{ "99999999999999999999", -ERANGE, 0, { 0 } },
		{ "0-4", -E2BIG, 0, { 0 } },
		{ "2-1", -EINVAL, 0, { 0 } },
		{ "", -EINVAL, 0, { 0 } },
		{ "1,", -EINVAL, 0, { 0 } },
		{ ",1", -EINVAL, 0, { 0 } },
		{ "1-", -EINVAL, 0, { 0 } },
		{ "-1", -EINVAL, 0, { 0 } },
		{ "1 2", -EINVAL, 0, { 0 } },
		{ "all", -EINVAL, 0, { 0 } },
	};
	int cpus[4];
	size_t count;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		ck_assert_msg(parse_cpus(table[i].text, cpus, 4, &count) ==
				      table[i].error,
			      "%s", table[i].text);
		if (table[i].error)
			continue;
		ck_assert_uint_eq(count, table[i].count);
		ck_assert_mem_eq(cpus, table[i].cpus, count * sizeof(int));
	}
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("numbers");

	tcase_add_loop_test(t, numbers, 0, 16);
	tcase_add_test(t, bounds);
	tcase_add_test(t, lists_of_cpus);
	suite_add_tcase(suite, t);
	return suite;
}
