// SPDX-License-Identifier: GPL-2.0
#include "machine/load.h"

/* A page: less has no line for each set of a first level. */
#define LEAST_BYTES 4096

static bool is_other(const struct machine *m, int cpu)
{
	for (size_t i = 0; i < m->other_count; i++)
		if (m->others[i] == cpu)
			return true;
	return false;
}

static int check_cpu(const struct machine *m, const struct load_request *r,
		     size_t i, struct failure *f)
{
	int cpu = r->cpus[i];

	if (cpu == m->cpu)
		return fail(f, STATUS_FAILED, EINVAL,
			    "load: CPU %d: it measures (choose another)", cpu);
	if (!is_other(m, cpu))
		return fail(
			f, STATUS_FAILED, EINVAL,
			"load: CPU %d: offline or not allowed for this process (choose another)",
			cpu);
	for (size_t j = 0; j < i; j++)
		if (r->cpus[j] == cpu)
			return fail(f, STATUS_FAILED, EINVAL,
				    "load: CPU %d: comes twice (name it once)",
				    cpu);
	return 0;
}

int load_start(struct machine *m, const struct load_request *request,
	       struct load **load, struct failure *f)
{
	int error = 0;

	*load = NULL;
	if (!m->ops->load_start)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"load: this machine cannot let other CPUs work (choose another with --machine)");
	if (m->load)
		return fail(
			f, STATUS_FAILED, EBUSY,
			"load: there is one already (report this as a bug)");
	if (!m->other_count)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"load: there is no CPU beside the one that measures (allow the process another one)");
	if (!request->cpu_count)
		return fail(f, STATUS_FAILED, EINVAL,
			    "load: no CPU (name one at least)");
	if (request->bytes < LEAST_BYTES)
		return fail(f, STATUS_FAILED, EINVAL,
			    "load: %llu bytes: less than %d (give more)",
			    (unsigned long long)request->bytes, LEAST_BYTES);
	for (size_t i = 0; !error && i < request->cpu_count; i++)
		error = check_cpu(m, request, i, f);
	if (!error)
		error = m->ops->load_start(m, request, load, f);
	m->load = *load;
	return error;
}

uint64_t load_loads(const struct load *load, size_t i)
{
	return i < load->cpu_count ? load->m->ops->load_loads(load, i) : 0;
}

void load_stop(struct load *load)
{
	if (!load)
		return;
	load->m->load = NULL;
	load->m->ops->load_stop(load);
}
