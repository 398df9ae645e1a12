// SPDX-License-Identifier: GPL-2.0
/* privileges.c - privileges of this process. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "info/capability.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

/* The CapEff line of proc(5). */
static int effective(uint64_t *mask)
{
	FILE *status = fopen("/proc/self/status", "re");
	char line[256];
	int error = -ENODATA;

	if (!status)
		return -errno;
	while (error && fgets(line, sizeof(line), status)) {
		char *end;

		if (strncmp(line, "CapEff:", 7))
			continue;
		errno = 0;
		*mask = strtoull(line + 7, &end, 16);
		error = errno || end == line + 7 || *end != '\n' ? -EINVAL : 0;
		break;
	}
	fclose(status);
	return error;
}

static void privileges(struct capability_list *list)
{
	static const struct {
		unsigned int bit;
		const char *name;
		const char *use;
	} wanted[] = {
		{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN",
		  "module, physical addresses" },
		{ CAP_SYS_RAWIO, "CAP_SYS_RAWIO", "prefetch switch" },
		{ CAP_PERFMON, "CAP_PERFMON", "counters" },
	};
	struct capability *c =
		capability_add(list, "privileges", CAPABILITY_UNKNOWN);
	uint64_t mask;
	int error = effective(&mask);

	if (error) {
		capability_detail(c, "/proc/self/status: %s", strerror(-error));
		return;
	}
	c->state = CAPABILITY_YES;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		bool have = mask >> wanted[i].bit & 1;

		capability_detail(c, "%s%s %s (%s)", i ? ", " : "",
				  have ? "with" : "without", wanted[i].name,
				  wanted[i].use);
		if (!have)
			c->state = CAPABILITY_NO;
	}
	if (c->state == CAPABILITY_NO)
		capability_remedy(c, "run as root");
}

static void lockdown(struct capability_list *list)
{
	struct capability *c =
		capability_add(list, "unlocked kernel", CAPABILITY_UNKNOWN);
	char line[96], mode[32];
	int error = text_read(LOCKDOWN, line, sizeof(line));

	if (error == -ENOENT && !access("/sys/kernel/security/lsm", F_OK)) {
		c->state = CAPABILITY_YES;
		capability_detail(c, "this kernel has no lockdown");
		return;
	}
	if (error || text_bracketed(line, mode, sizeof(mode))) {
		capability_detail(c, "%s: %s", LOCKDOWN,
				  error ? strerror(-error) : line);
		return;
	}
	capability_detail(c, "lockdown: %s", mode);
	if (!strcmp(mode, "none")) {
		c->state = CAPABILITY_YES;
		return;
	}
	c->state = CAPABILITY_NO;
	capability_remedy(
		c, "boot without lockdown; Secure Boot may switch it on");
}

void capability_privileges(struct capability_list *list)
{
	privileges(list);
	lockdown(list);
}
