// SPDX-License-Identifier: GPL-2.0
/* Texts of the kernel read, numbers parsed, bytes spelt. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "info/capability.h"
/* Behind the others: libcheck has a macro named fail. */
#include "suites.h"

START_TEST(bytes_are_spelt)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} table[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 1536, "1.5 KiB" },
		{ UINT64_C(64) << 20, "64 MiB" },
		{ UINT64_C(3) << 29, "1.5 GiB" },
		{ UINT64_C(1) << 63, "8192 PiB" },
	};
	char text[24];

	ck_assert_str_eq(text_bytes(table[_i].bytes, text, sizeof(text)),
			 table[_i].text);
}
END_TEST

START_TEST(brackets)
{
	char word[8];

	ck_assert_int_eq(
		text_bracketed("always [madv] never", word, sizeof(word)), 0);
	ck_assert_str_eq(word, "madv");
	ck_assert_int_eq(text_bracketed("[1234567]", word, sizeof(word)), 0);
	ck_assert_str_eq(word, "1234567");
	ck_assert_int_eq(text_bracketed("[12345678]", word, sizeof(word)),
			 -EINVAL);
	ck_assert_int_eq(text_bracketed("none", word, sizeof(word)), -EINVAL);
	ck_assert_int_eq(text_bracketed("]a[", word, sizeof(word)), -EINVAL);
	ck_assert_int_eq(text_bracketed("", word, sizeof(word)), -EINVAL);
	ck_assert_str_eq(word, "");
}
END_TEST

START_TEST(signed_numbers)
{
	int64_t value = 7;

	ck_assert_int_eq(text_signed("-1", &value), 0);
	ck_assert_int_eq(value, -1);
	ck_assert_int_eq(text_signed("4", &value), 0);
	ck_assert_int_eq(value, 4);
	ck_assert_int_ne(text_signed("", &value), 0);
	ck_assert_int_ne(text_signed("-", &value), 0);
	ck_assert_int_ne(text_signed("--1", &value), 0);
	ck_assert_int_ne(text_signed("1x", &value), 0);
	ck_assert_int_ne(text_signed("9223372036854775808", &value), 0);
}
END_TEST

START_TEST(files)
{
	char path[] = "/tmp/check_text.XXXXXX", line[8];
	int fd = mkstemp(path);
	uint64_t value;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(text_read(path, line, sizeof(line)), -ENODATA);
	ck_assert_int_eq(write(fd, "42\nmore", 7), 7);
	ck_assert_int_eq(text_read(path, line, sizeof(line)), 0);
	ck_assert_str_eq(line, "42");
	ck_assert_int_eq(text_read_number(path, &value), 0);
	ck_assert_uint_eq(value, 42);
	close(fd);
	unlink(path);
	ck_assert_int_eq(text_read(path, line, sizeof(line)), -ENOENT);
	ck_assert_int_eq(text_read_at(line, sizeof(line), "%s/%d", path, 1),
			 -ENOENT);
	ck_assert_int_eq(text_read_at(line, sizeof(line), "%8000d", 1),
			 -ENAMETOOLONG);
	ck_assert_str_eq(line, "");
}
END_TEST

START_TEST(printable)
{
	char text[6];

	text_printable(text, sizeof(text), "a\tb\x7f\xc3z");
	ck_assert_str_eq(text, "a?b??");
}
END_TEST

START_TEST(capabilities_never_overflow)
{
	static struct capability_list list;
	struct capability *c = NULL;

	for (int i = 0; i < CAPABILITY_MAX + 3; i++)
		c = capability_add(&list, "thing", CAPABILITY_NO);
	ck_assert_uint_eq(list.count, CAPABILITY_MAX);
	for (int i = 0; i < 200; i++) {
		capability_detail(c, "word %d, ", i);
		capability_fact(c, "fact", (uint64_t)i);
	}
	ck_assert_uint_eq(strlen(c->detail), sizeof(c->detail) - 1);
	ck_assert_uint_eq(c->fact_count, CAPABILITY_MAX_FACTS);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *texts = tcase_create("texts");

	tcase_add_loop_test(texts, bytes_are_spelt, 0, 7);
	tcase_add_test(texts, brackets);
	tcase_add_test(texts, signed_numbers);
	tcase_add_test(texts, files);
	tcase_add_test(texts, printable);
	tcase_add_test(texts, capabilities_never_overflow);
	suite_add_tcase(suite, texts);
	return suite;
}
