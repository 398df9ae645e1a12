// SPDX-License-Identifier: GPL-2.0
#include "kit/neighbour.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define MOST_VIEWS 16

static struct {
	const struct machine_ops *honest;
	struct machine_ops ops;
	struct machine *less;
	struct view *views[MOST_VIEWS];
	struct view *of_less[MOST_VIEWS];
	enum neighbour when;
	unsigned int looks;
	bool looking;
	unsigned int messages; /* left until the measurement ends */
	volatile sig_atomic_t stop;
} neighbour;

static bool holds(void)
{
	if (neighbour.when == NEIGHBOUR_LEAVES)
		return !neighbour.looks;
	return neighbour.looking == (neighbour.when == NEIGHBOUR_COMES);
}

static int walk(struct machine *m, const struct sequence *s,
		const struct walk_plan *plan, struct sample *samples,
		struct failure *f)
{
	return neighbour.honest->walk(holds() ? neighbour.less : m, s, plan,
				      samples, f);
}

static int view_open(struct machine *m, const struct view_request *request,
		     struct view **view, struct failure *f)
{
	size_t i = 0;
	int error = neighbour.honest->view_open(m, request, view, f);

	while (i < MOST_VIEWS && neighbour.views[i])
		i++;
	if (error || i == MOST_VIEWS)
		return error ? error : -ENOMEM;
	neighbour.views[i] = *view;
	return neighbour.honest->view_open(neighbour.less, request,
					   &neighbour.of_less[i], f);
}

static size_t place_of(const struct view *view)
{
	size_t i = 0;

	while (neighbour.views[i] != view)
		i++;
	return i;
}

static int view_walk(struct view *view, const struct sequence *s,
		     const struct walk_plan *plan, struct sample *samples,
		     struct failure *f)
{
	if (holds())
		view = neighbour.of_less[place_of(view)];
	return neighbour.honest->view_walk(view, s, plan, samples, f);
}

static void view_close(struct view *view)
{
	size_t i;

	if (!view)
		return;
	i = place_of(view);
	neighbour.views[i] = NULL;
	neighbour.honest->view_close(neighbour.of_less[i]);
	neighbour.honest->view_close(view);
}

static void watch(void *context, const char *what, double done)
{
	(void)context;
	(void)done;
	neighbour.looking = strstr(what, "later look");
	neighbour.looks += neighbour.looking;
	if (neighbour.messages && !--neighbour.messages)
		neighbour.stop = 1;
}

void neighbour_begin(struct prober *p, struct machine *less,
		     enum neighbour when)
{
	memset(&neighbour, 0, sizeof(neighbour));
	neighbour.honest = p->m->ops;
	neighbour.less = less;
	neighbour.when = when;
	neighbour.ops = *p->m->ops;
	neighbour.ops.walk = walk;
	if (neighbour.ops.view_open) {
		neighbour.ops.view_open = view_open;
		neighbour.ops.view_walk = view_walk;
		neighbour.ops.view_close = view_close;
	}
	p->m->ops = &neighbour.ops;
	p->progress = watch;
}

void neighbour_interrupts(struct prober *p, unsigned int message)
{
	neighbour.messages = message;
	p->stop = &neighbour.stop;
}

unsigned int neighbour_looks(void)
{
	return neighbour.looks;
}
