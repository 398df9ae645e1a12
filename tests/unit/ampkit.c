// SPDX-License-Identifier: GPL-2.0
#include "ampkit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/sim.h"

#define MACHINES "tests/machines/"
#define BYTES (UINT64_C(32) << 20)

uint64_t ampkit_environment(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

void ampkit_measure(struct machine *m, uint64_t seed,
		    const struct amp_wanted *wanted, struct amp_result *r)
{
	struct failure f = { .text = "" };
	struct prober p;

	ck_assert_msg(m != NULL, "no machine");
	prober_begin(&p, m, seed);
	ck_assert_msg(!amp_measure(&p, wanted, r, &f), "%s", f.text);
	machine_close(m);
}

void ampkit_measure_file(const char *name, uint64_t seed,
			 const struct amp_wanted *wanted, struct amp_result *r)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = BYTES,
						 .seed = seed };
	struct failure f = { .text = "" };
	char path[128];

	snprintf(path, sizeof(path), MACHINES "%s.json", name);
	ampkit_measure(machine_open_sim(path, &request, &f), seed, wanted, r);
}

bool ampkit_is_cell(const struct amp_parameter *p, double wanted)
{
	if (wanted > 0)
		return parameter_is_measured(&p->p) && p->p.value == wanted;
	return p->p.status == PARAMETER_UNAVAILABLE &&
	       !strncmp(p->p.reason, "N/C: ", 5);
}

bool ampkit_is_flag(const struct amp_parameter *p, bool wanted)
{
	if (!parameter_is_measured(&p->p) || p->p.value != wanted)
		return false;
	for (size_t i = 0; i < p->vote_count; i++)
		if (p->votes[i] != wanted)
			return false;
	return p->vote_count == AMP_VOTES;
}
