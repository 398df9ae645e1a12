// SPDX-License-Identifier: GPL-2.0
#include "info/capability.h"
#include "report/picture/paint.h"

void capability_pictures(struct capability_list *list)
{
	struct capability *c = capability_add(list, "pictures", CAPABILITY_YES);

	if (paint_there()) {
		capability_detail(c, "SVG, PNG and PDF, through %s",
				  paint_version());
		return;
	}
	c->state = CAPABILITY_NO;
	capability_detail(c, "built without cairo: compare draws none");
	capability_remedy(c, "%s", PAINT_MISSING);
}
