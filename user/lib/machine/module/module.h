/* SPDX-License-Identifier: GPL-2.0 */
/*
 * module.h - a machine on memory of probe_phys.ko, by /dev/probe_phys.
 *
 * Knows no other kind of machine and no method. Called by what opens machines;
 * info/ and the commands also use names.h, session.h, ioctl.h, events.h and
 * event_library.h. Functions return 0 or -errno with the text in @f.
 */
#ifndef PROBE_PHYS_MACHINE_MODULE_MODULE_H
#define PROBE_PHYS_MACHINE_MODULE_MODULE_H

#include "machine/machine.h"

/**
 * machine_open_module() - memory of probe_phys.ko through /dev/probe_phys
 * Return: a machine or NULL with @f set (STATUS_UNAVAILABLE where the module
 * is not loaded).
 */
struct machine *machine_open_module(const struct machine_request *request,
				    struct failure *f);

#endif
