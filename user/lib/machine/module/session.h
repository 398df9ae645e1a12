/* SPDX-License-Identifier: GPL-2.0 */
/* session.h - open /dev/probe_phys, or say in words why not. */
#ifndef PROBE_PHYS_MACHINE_MODULE_SESSION_H
#define PROBE_PHYS_MACHINE_MODULE_SESSION_H

#include <linux/probe_phys.h>

#include "base/error.h"

/**
 * module_session() - open the device and read what it offers
 * @info: filled in
 * Return: a descriptor to close, or -errno with @f set (STATUS_UNAVAILABLE
 * when the module is not loaded, not allowed, or of another contract).
 */
int module_session(struct probe_phys_info *info, struct failure *f);

#endif
