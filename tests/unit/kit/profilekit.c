// SPDX-License-Identifier: GPL-2.0
#include "kit/profilekit.h"

#include <check.h>
#include <string.h>

#include "machine/sim/sim.h"
#include "model/profile/profile.h"

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

void profilekit_refuses(const char *text, const char *fragment)
{
	struct failure f = { .text = "" };
	struct profile *p = profile_parse(text, strlen(text), "test", &f);

	ck_assert_msg(!p, "accepted: %s", text);
	ck_assert_msg(strstr(f.text, fragment) != NULL, "%s -> %s", text,
		      f.text);
	ck_assert_msg(!strncmp(f.text, "profile test: ", 14), "%s", f.text);
	ck_assert_ptr_null(strchr(f.text, '\n'));
	ck_assert_int_eq(f.status, STATUS_USAGE);
}
