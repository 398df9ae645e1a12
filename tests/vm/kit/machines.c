// SPDX-License-Identifier: GPL-2.0
#include "machine/module/module.h"
/* Behind the others: libcheck has a macro named fail. */
#include "kit/machines.h"

struct machine *
m_open_kind(struct machine *(*open)(const struct machine_request *request,
				    struct failure *f),
	    uint64_t bytes)
{
	const struct machine_request request = { .cpu = -1, .bytes = bytes };
	struct machine *m = NULL;
	struct failure f;

	for (int tries = 0; !m && tries < 20; tries++) {
		f = (struct failure){ .text = "" };
		m = open(&request, &f);
		if (!m && f.status == STATUS_UNAVAILABLE)
			usleep(500000);
	}
	ck_assert_msg(m != NULL, "%s", f.text);
	return m;
}

struct machine *m_open(uint64_t bytes)
{
	return m_open_kind(machine_open_module, bytes);
}

struct view *m_view(struct machine *m, const struct view_request *request)
{
	struct failure f = { .text = "" };
	struct view *view = NULL;

	ck_assert_msg(!m->ops->view_open(m, request, &view, &f), "%s", f.text);
	return view;
}
