/* SPDX-License-Identifier: GPL-2.0 */
/*
 * load.h - a load on the other CPUs of a simulated machine. The operations of
 * struct machine_ops, and the call by which walks let its time pass.
 */
#ifndef PROBE_PHYS_MACHINE_SIM_LOAD_H
#define PROBE_PHYS_MACHINE_SIM_LOAD_H

#include "machine/load.h"

struct sim;

/** SIM_LOAD_SLICE - accesses of the measured CPU after which the others catch
 * up
 */
#define SIM_LOAD_SLICE 8

/** sim_load_start() - its memory lies as the profile places memory */
int sim_load_start(struct machine *m, const struct load_request *request,
		   struct load **load, struct failure *f);
uint64_t sim_load_loads(const struct load *load, size_t i);
void sim_load_stop(struct load *load);

/** sim_load_pass() - let @cost pass, in 1/MODEL_TICKS cycles: each of
 * the others does the accesses for which that is enough
 */
void sim_load_pass(struct sim *s, uint64_t cost);

#endif
