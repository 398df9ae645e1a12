// SPDX-License-Identifier: GPL-2.0
/* check_shape.c - shapes of sequences that get past the levels above. */
#include "method/level/level.h"
#include "suites.h"

/* X-Ray section 5.1's own example: Power 3's L2 needs 15 copies 512 bytes
 * apart.
 */
START_TEST(transformation_of_the_paper)
{
	const struct xray_level power3[] = {
		{ .ways = 128, .way_bytes = 512, .line_bytes = 128 }
	};
	const struct xray x = { .upper = power3, .upper_count = 1 };
	struct shape w = xray_shape(&x, 2 << 20, 9);

	ck_assert_uint_eq(w.inner_stride, 512);
	ck_assert_uint_eq(w.inner, 15);
	ck_assert_uint_eq(w.stride, 2 << 20);
	ck_assert_uint_eq(w.outer, 9);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("shapes");

	tcase_add_test(t, transformation_of_the_paper);
	suite_add_tcase(suite, t);
	return suite;
}
