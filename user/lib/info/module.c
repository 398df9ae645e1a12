// SPDX-License-Identifier: GPL-2.0
/* module.c - probe_phys.ko and its abilities on this computer. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "info/capability.h"
#include "machine/module/ioctl.h"
#include "machine/module/names.h"
#include "machine/module/session.h"
#include "netlink/inventory.h"

static void say_features(struct capability *c, uint64_t features)
{
	const char *separator = "";

	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name = module_feature_name(bit);

		if (!(features >> bit & 1))
			continue;
		if (name)
			capability_detail(c, "%s%s", separator, name);
		else
			capability_detail(c, "%sbit %u", separator, bit);
		separator = ", ";
	}
	if (!*separator)
		capability_detail(c, "none");
}

static void say_info(struct capability_list *list,
		     const struct probe_phys_info *info)
{
	struct capability *c = capability_add(list, "module", CAPABILITY_YES);
	char version[sizeof(info->version) + 1] = "", cap[24], used[24];

	memcpy(version, info->version, sizeof(info->version));
	text_printable(version, sizeof(version), version);
	capability_detail(c,
			  "probe_phys %s, contract %" PRIu32
			  "; a session may hold %s, %s are held now",
			  version, info->abi,
			  text_bytes(info->max_buffer_bytes, cap, sizeof(cap)),
			  text_bytes(info->used_total_bytes, used,
				     sizeof(used)));
	capability_fact(c, "abi", info->abi);
	capability_fact(c, "page_bytes", info->page_bytes);
	capability_fact(c, "pmd_bytes", info->pmd_bytes);
	capability_fact(c, "pud_bytes", info->pud_bytes);
	capability_fact(c, "max_buffer_bytes", info->max_buffer_bytes);
	capability_fact(c, "max_total_bytes", info->max_total_bytes);
	capability_fact(c, "used_total_bytes", info->used_total_bytes);
	capability_fact(c, "claimed_tick_hz", info->tick_hz);
	capability_fact(c, "flush_line_bytes", info->line_bytes);
	c = capability_add(list, "module features", CAPABILITY_YES);
	say_features(c, info->features);
	capability_fact(c, "features", info->features);
}

static void say_prefetchers(struct capability *c,
			    const struct probe_phys_prefetch *p)
{
	capability_fact(c, "available", p->available);
	capability_fact(c, "enabled", p->enabled);
	for (unsigned int bit = 0; bit < 32; bit++) {
		const char *name = module_prefetcher_name(bit);

		if (p->available >> bit & 1)
			capability_detail(c, "%s%s %s",
					  c->detail[0] ? ", " : "",
					  name ? name : "unknown",
					  p->enabled >> bit & 1 ? "on" : "off");
	}
	if (p->state & PROBE_PHYS_PREFETCH_BUSY)
		capability_detail(c, "; another session owns the switch");
}

static void prefetch_switch(struct capability_list *list, int session, int cpu)
{
	struct probe_phys_prefetch query = {
		.op = PROBE_PHYS_PREFETCH_QUERY,
		.cpu = (__u32)(cpu < 0 ? 0 : cpu),
	};
	int error = module_prefetch(session, &query);
	struct capability *c =
		capability_add(list, "prefetch switch",
			       error ? CAPABILITY_NO : CAPABILITY_YES);

	switch (error) {
	case 0:
		say_prefetchers(c, &query);
		break;
	case -EOPNOTSUPP:
		capability_detail(c, "none is documented for this CPU model");
		break;
	case -EPERM:
		capability_detail(c, "not permitted");
		capability_remedy(
			c,
			"CAP_SYS_RAWIO and a kernel that is not locked down are needed");
		break;
	default:
		capability_detail(c, "%s", strerror(-error));
	}
}

/* Splits "what: why (remedy)"; the line is named after "what" already. */
static void say_failure(struct capability *c, const struct failure *f)
{
	const char *why = strstr(f->text, ": ");
	const char *open = strrchr(f->text, '(');
	size_t length = strlen(f->text);

	why = why ? why + 2 : f->text;
	if (!open || open <= why || f->text[length - 1] != ')') {
		capability_detail(c, "%s", why);
		return;
	}
	capability_detail(c, "%.*s", (int)(open - why - 1), why);
	capability_remedy(c, "%.*s", (int)(f->text + length - open - 2),
			  open + 1);
}

/* Only when the module is there: a request can make the kernel load it. */
static void netlink_family(struct capability_list *list)
{
	struct failure failure = { 0 };
	struct inventory_info info;
	struct genl *g = genl_open(&failure);
	int error = g ? inventory_read_info(g, &info, &failure) : -ENODEV;
	struct capability *c = capability_add(
		list, "module netlink", error ? CAPABILITY_NO : CAPABILITY_YES);

	genl_close(g);
	if (error)
		say_failure(c, &failure);
	else
		capability_detail(c,
				  "family %s answers: buffers and monitor work",
				  PROBE_PHYS_GENL_NAME);
}

void capability_module(struct capability_list *list, int cpu)
{
	struct failure failure = { 0 };
	struct probe_phys_info info;
	int session = module_session(&info, &failure);
	struct capability *c;

	if (session < 0) {
		c = capability_add(list, "module", CAPABILITY_NO);
		say_failure(c, &failure);
		c = capability_add(list, "prefetch switch", CAPABILITY_UNKNOWN);
		capability_detail(c, "only the module knows");
		return;
	}
	say_info(list, &info);
	netlink_family(list);
	prefetch_switch(list, session, cpu);
	close(session);
}
