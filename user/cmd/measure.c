// SPDX-License-Identifier: GPL-2.0
/* measure.c - "probe-phys": measure everything that can be measured here. */
#include <stdio.h>

#include "cmd.h"
#include "method/amp/amp.h"
#include "method/measure.h"
#include "method/probe/cost.h"
#include "own_options.h"
#include "progress.h"
#include "report/report.h"

static int print(const struct report *r, const struct options *options,
		 struct failure *f)
{
	json_t *root;

	if (!options->json) {
		report_table(r, stdout);
		return cmd_flush(f);
	}
	root = report_json(r);
	json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	fputc('\n', stdout);
	json_decref(root);
	return cmd_flush(f);
}

/* All parts but registers need the first level of cache. */
static unsigned int parts_of(unsigned int only)
{
	unsigned int parts = 0;

	if (only & ~(unsigned int)ONLY_REGISTERS)
		parts |= EVERYTHING_CACHES;
	if (only & ONLY_CACHES)
		parts |= EVERYTHING_BEHAVIOUR;
	if (only & (ONLY_L1 | ONLY_CACHES))
		parts |= EVERYTHING_CODE;
	if (only & ONLY_TLBS)
		parts |= EVERYTHING_TLBS;
	if (only & ONLY_REGISTERS)
		parts |= EVERYTHING_REGISTERS;
	return parts;
}

static int measure_by_xray(struct prober *p, unsigned int only,
			   struct hierarchy *found, struct failure *f)
{
	if (!(only & ONLY_CACHES))
		p->most_levels = 1;
	return measure_everything(p, parts_of(only), found, f);
}

static int measure_by_amp(struct prober *p, const struct options *o,
			  struct hierarchy *found, struct amp_result *amp,
			  struct failure *f)
{
	const struct group_cost begun = cost_begin(p);
	const struct amp_wanted wanted = {
		.caches = o->only & ONLY_CACHES		  ? RESULT_MAX_LEVELS :
			  o->only & (ONLY_L1 | ONLY_TLBS) ? 1 :
							    0,
		.tlbs = o->only & ONLY_TLBS,
		.decision = o->decision,
	};
	int error;

	error = amp_measure(p, &wanted, amp, f);
	cost_end(p, &begun, "amp", found);
	return error;
}

static int measure_all(struct prober *p, const struct options *o,
		       struct hierarchy *found, struct amp_result *amp,
		       struct failure *f)
{
	int error = 0;

	hierarchy_init(found);
	*amp = (struct amp_result){ .selected = false };
	if (o->methods & METHOD_XRAY)
		error = measure_by_xray(p, o->only, found, f);
	if (!error && o->methods & METHOD_AMP)
		error = measure_by_amp(p, o, found, amp, f);
	found->complete = !error;
	found->tests = p->tests;
	if (o->methods != METHOD_AMP)
		return error;
	amp_fill_hierarchy(amp, found);
	if (!error && !amp->answered)
		error = fail(
			f, STATUS_UNAVAILABLE, ENOENT,
			"amp: no miss counter is reliable here (see probe-phys counters, or use --method xray)");
	return error;
}

static enum exit_status measure(struct machine *m,
				const struct options *options)
{
	struct progress progress;
	struct documented documented;
	struct hierarchy found;
	struct amp_result amp;
	struct failure f = { .text = "" }, other = f;
	struct prober prober;
	struct report report;
	bool failed;
	int error;

	if (options->machine != MACHINE_SIM)
		cmd_read_documents(&documented, m);
	progress_begin(&progress);
	cmd_begin(&prober, m, options);
	progress_of(&progress, &prober);
	error = measure_all(&prober, options, &found, &amp, &f);
	progress_end(&progress);
	failed = error && error != -EINTR;
	if (failed && !found.cache_count)
		return cmd_report(&f, options);
	report =
		(struct report){ .machine = machine_describe(m),
				 .found = &found,
				 .documented = options->machine == MACHINE_SIM ?
						       NULL :
						       &documented,
				 .seed = options->seed,
				 .seconds = progress_seconds(&progress),
				 .limit_s = prober.limit_s,
				 .failure = failed ? &f : NULL,
				 .amp = amp.selected ? &amp : NULL,
				 .amp_alone = options->methods == METHOD_AMP };
	if (print(&report, options, &other))
		return cmd_report(&other, options);
	if (failed)
		return cmd_say(&f);
	return error ? STATUS_FAILED : STATUS_DONE;
}

enum exit_status cmd_measure(int argc, char **argv,
			     const struct options *options)
{
	struct failure f = { .text = "" };
	struct options own = *options;
	enum exit_status status;
	struct machine *m;

	cmd_json_option(argc, argv,
			"Measure everything that can be measured here.", &own);
	m = cmd_open_machine(&own, &f);
	if (!m)
		return cmd_report(&f, &own);
	status = measure(m, &own);
	machine_close(m);
	return status;
}
