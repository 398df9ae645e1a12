// SPDX-License-Identifier: GPL-2.0
#include "machine/view_machine.h"

#include <errno.h>

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	struct view_machine *v = (struct view_machine *)m;
	int error = v->inner->ops->view_walk(v->view, s, plan, samples, f);

	m->conditions = v->inner->conditions;
	return error;
}

static double add_chain(struct machine *m, unsigned int adds)
{
	struct view_machine *v = (struct view_machine *)m;

	return v->inner->ops->add_chain(v->inner, adds);
}

static void pause_inner(struct machine *m, unsigned int ms)
{
	struct view_machine *v = (struct view_machine *)m;

	v->inner->ops->pause(v->inner, ms);
}

static double clock_inner(const struct machine *m)
{
	const struct view_machine *v = (const struct view_machine *)m;

	return v->inner->ops->clock_ns ? v->inner->ops->clock_ns(v->inner) : 0;
}

static const struct machine_ops ops = {
	.kind = "view",
	.walk = walk,
	.add_chain = add_chain,
	.pause = pause_inner,
	.clock_ns = clock_inner,
};

int view_machine_open(struct view_machine *v, struct machine *inner,
		      const struct view_request *request, struct failure *f)
{
	*v = (struct view_machine){ .inner = inner };
	if (!inner->ops->view_open)
		return fail(
			f, STATUS_UNAVAILABLE, EOPNOTSUPP,
			"view: this machine has none (use another --machine)");
	v->machine = *inner;
	v->machine.ops = &ops;
	v->machine.view_page_count = 0;
	v->machine.times_each = false;
	v->machine.flushes_lines = false;
	v->machine.region.bytes = request->pages * request->page_bytes;
	v->machine.region.page_bytes = request->page_bytes;
	v->machine.region.extents = NULL;
	v->machine.region.extent_count = 0;
	return inner->ops->view_open(inner, request, &v->view, f);
}

void view_machine_close(struct view_machine *v)
{
	if (v->view)
		v->inner->ops->view_close(v->view);
	v->view = NULL;
}
