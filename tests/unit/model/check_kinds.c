// SPDX-License-Identifier: GPL-2.0
/* check_kinds.c - parts that only some machines have, from their profiles: what
 * an access costs there.
 */
#include <string.h>

#include "model/model.h"
#include "model/modelkit.h"
#include "suites.h"

#define MEMORY 200

static struct profile *parsed(const char *text)
{
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(text, strlen(text), "test", &f);

	ck_assert_msg(p != NULL, "%s: %s", text, f.text);
	return p;
}

/* One set of five ways of tree-PLRU, of which new lines take 0, 1, 2 and 4. */
#define MASKED                                                                 \
	"{\"caches\":[{\"level\":1,\"type\":\"data\",\"capacity_bytes\":320,"  \
	"\"ways\":5,\"line_bytes\":64,\"latency_cycles\":4,\"policy\":{"       \
	"\"name\":\"tree-plru\"},\"allocation_mask\":\"0x17\",\"addressing\":" \
	"\"physical\"}]}"

/* The root points to way 4 alone whenever another way was used last: each second
 * line goes there. A tree of four ways would lose a, c, b, d.
 */
START_TEST(test_masked_tree)
{
	static const char lines[] = "abcdefghi", gone[] = "....adcfb";
	struct profile *p = parsed(MASKED);

	for (size_t n = 4; lines[n]; n++) {
		struct model *m = model_create(p);

		ck_assert_ptr_nonnull(m);
		for (size_t i = 0; i < n; i++)
			kit_load(m, (uint64_t)lines[i] * 64);
		/* Still there, until the next line comes. */
		ck_assert_uint_eq(kit_load(m, (uint64_t)lines[n - 1] * 64), 4);
		kit_load(m, (uint64_t)lines[n] * 64);
		ck_assert_uint_eq(kit_load(m, (uint64_t)gone[n] * 64), MEMORY);
		model_destroy(m);
	}
	profile_free(p);
}
END_TEST

UNIT_SUITE(name)
{
	Suite *suite = suite_create(name);
	TCase *t = tcase_create("kinds");

	tcase_add_test(t, test_masked_tree);
	suite_add_tcase(suite, t);
	return suite;
}
