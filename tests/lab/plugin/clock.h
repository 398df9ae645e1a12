/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock.h - the emulator's notion of time, under our control.
 *
 * TCG has no clock that can be set: its plugin interface for time makes the
 * guest wait until the host's clock has come as far, so that a modelled
 * second takes a second and whatever the host does in between shows up as
 * noise. Instead CLOCK_MONOTONIC is replaced for the emulator's process (by
 * LD_PRELOAD). While a modelled CPU runs the host's time stands still, and
 * only what the model says passes: guest time is exact and repeatable, and
 * does not depend on how fast the host is.
 */
#ifndef LAB_CLOCK_H
#define LAB_CLOCK_H

#include <stdint.h>

/** lab_clock_freeze() - from now on only lab_clock_advance() makes time pass */
void lab_clock_freeze(void);

/** lab_clock_thaw() - host time passes again, from where the clock stands */
void lab_clock_thaw(void);

/** lab_clock_advance() - @ns pass; the caller serialises */
void lab_clock_advance(uint64_t ns);

#endif
