// SPDX-License-Identifier: GPL-2.0
#include "machine/native/touch_pages.h"

#include <sys/resource.h>

#include "machine/native/code/code.h"

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
