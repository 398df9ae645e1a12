// SPDX-License-Identifier: GPL-2.0
#include "method/amp/ampkit.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "machine/sim/sim.h"

#define MACHINES "tests/machines/"

void ampkit_measure(struct machine *m, uint64_t seed,
		    const struct amp_wanted *wanted, struct amp_result *r)
{
	struct failure f = { .text = "" };
	struct prober p;

	prober_begin(&p, m, seed);
	ck_assert_msg(!amp_measure(&p, wanted, r, &f), "%s", f.text);
	machine_close(m);
}

struct machine *ampkit_open_file(const char *name, uint64_t seed)
{
	const struct machine_request request = { .cpu = -1,
						 .bytes = AMPKIT_BYTES,
						 .seed = seed };
	struct failure f = { .text = "" };
	struct machine *m;
	char path[128];

	snprintf(path, sizeof(path), MACHINES "%s.json", name);
	m = machine_open_sim(path, &request, &f);
	ck_assert_msg(m != NULL, "%s", f.text);
	return m;
}

void ampkit_measure_file(const char *name, uint64_t seed,
			 const struct amp_wanted *wanted, struct amp_result *r)
{
	ampkit_measure(ampkit_open_file(name, seed), seed, wanted, r);
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
