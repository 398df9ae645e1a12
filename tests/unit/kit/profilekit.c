// SPDX-License-Identifier: GPL-2.0
#include "kit/profilekit.h"

#include <check.h>
#include <string.h>

#include "machine/sim/sim.h"

struct machine *profilekit_open(const char *text, uint64_t bytes, uint64_t seed)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = bytes,
						 .seed = seed };
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(text, strlen(text), "test", &f);
	struct machine *m;

	ck_assert_msg(p != NULL, "%s: %s", f.text, text);
	m = machine_open_profile(p, &request, &f);
	ck_assert_msg(m != NULL, "%s", f.text);
	return m;
}
