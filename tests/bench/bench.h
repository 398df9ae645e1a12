/* SPDX-License-Identifier: GPL-2.0 */
/* bench.h - benchmarks that bench.c calls. */
#ifndef PROBE_PHYS_BENCH_H
#define PROBE_PHYS_BENCH_H

/** bench_model() - speed of the simulated hierarchy */
void bench_model(void);

#endif
