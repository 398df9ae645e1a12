/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sim.h - a machine whose truth is known: a profile, simulated.
 *
 * Runs on model/; knows no method and no other kind of machine. Called by what
 * opens machines, and by tests. Functions return NULL with @f set on error.
 */
#ifndef PROBE_PHYS_MACHINE_SIM_SIM_H
#define PROBE_PHYS_MACHINE_SIM_SIM_H

#include "machine/machine.h"
#include "model/profile/profile.h"

/**
 * machine_open_sim() - a machine that a profile describes
 * @path: the profile
 * @request: its cpu must be one of the profile's; its seed is added to the
 *           seed of the profile's noise
 *
 * Time is the model's; physical placement is the profile's. Nothing of the
 * profile is shown but its name and whether it is a virtual machine.
 * Return: a machine or NULL with @f set (STATUS_USAGE for a bad profile).
 */
struct machine *machine_open_sim(const char *path,
				 const struct machine_request *request,
				 struct failure *f);

/** machine_open_profile() - the same from a profile in memory, which it owns
 * from then on, also when it fails
 */
struct machine *machine_open_profile(struct profile *profile,
				     const struct machine_request *request,
				     struct failure *f);

#endif
