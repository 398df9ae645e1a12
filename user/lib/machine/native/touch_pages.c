// SPDX-License-Identifier: GPL-2.0
#include "machine/native/touch_pages.h"

#include <errno.h>
#include <sys/resource.h>

#include "machine/native/code/code.h"

int touch_check(const struct mapped_view *v, const struct touch *touch,
		struct failure *f)
{
	const struct sequence *s = touch->pages;
	bool valid = s->length && touch->rounds &&
		     (touch->kind == TOUCH_LOADS || v->view.request.executable);

	for (size_t i = 0; valid && i < s->length; i++)
		valid = s->offsets[i] < mapped_view_bytes(v) &&
			s->offsets[i] % VIEW_SLOT_BYTES == 0;
	return valid ? 0 :
		       fail(f, STATUS_FAILED, EINVAL,
			    "touch: nothing to touch, or not in the view (report this as a bug)");
}

void touch_pages(const char *base, const struct touch *touch)
{
	const struct sequence *s = touch->pages;

	for (unsigned int round = 0; round < touch->rounds; round++)
		for (size_t i = 0; i < s->length; i++) {
			const char *p = base + s->offsets[i];

			if (touch->kind == TOUCH_FETCHES)
				code_run(p, 1);
			else
				(void)*(const volatile char *)p;
		}
}

long touch_switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return usage.ru_nvcsw + usage.ru_nivcsw;
}
