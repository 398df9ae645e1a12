// SPDX-License-Identifier: GPL-2.0
#include "machine/module/session.h"

#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "machine/module/ioctl.h"

#define LOCKDOWN_PATH "/sys/kernel/security/lockdown"

static int refused(int error, struct failure *f)
{
	char line[96], mode[32];

	if (!text_read(LOCKDOWN_PATH, line, sizeof(line)) &&
	    !text_bracketed(line, mode, sizeof(mode)) && strcmp(mode, "none"))
		return fail(
			f, STATUS_UNAVAILABLE, error,
			"module: %s: the kernel is locked down (%s) (boot without lockdown, which Secure Boot may switch on)",
			PROBE_PHYS_DEVICE, mode);
	return fail(f, STATUS_UNAVAILABLE, error,
		    "module: %s: %s (run as root)", PROBE_PHYS_DEVICE,
		    strerror(error));
}

static int not_opened(int error, struct failure *f)
{
	switch (error) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return fail(f, STATUS_UNAVAILABLE, error,
			    "module: %s: not loaded (insmod probe_phys.ko)",
			    PROBE_PHYS_DEVICE);
	case EPERM:
	case EACCES:
		return refused(error, f);
	default:
		return fail(f, STATUS_FAILED, error,
			    "module: %s: %s (see dmesg)", PROBE_PHYS_DEVICE,
			    strerror(error));
	}
}

int module_session(struct probe_phys_info *info, struct failure *f)
{
	int session = module_open();
	int error;

	if (session < 0)
		return not_opened(-session, f);
	memset(info, 0, sizeof(*info));
	error = module_info(session, info);
	if (!error && info->abi == PROBE_PHYS_ABI)
		return session;
	close(session);
	if (error == -EPERM)
		return refused(EPERM, f);
	if (error)
		return fail(
			f, STATUS_FAILED, -error,
			"module: reading what it offers: %s (load the probe_phys.ko that came with this tool)",
			strerror(-error));
	return fail(
		f, STATUS_UNAVAILABLE, EPROTO,
		"module: contract %u is not %u (load the probe_phys.ko that came with this tool)",
		info->abi, PROBE_PHYS_ABI);
}
