/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interrupts.h - was this thread interrupted since?
 *
 * What an interrupt runs pushes lines out, and a thread is not told of it. On x86
 * a segment register tells: the IRET that ends an interrupt makes a null selector
 * that is not 0 into 0 (Intel SDM volume 2, IRET: "RETURN-TO-OUTER-PRIVILEGE-LEVEL";
 * AMD64 APM volume 3 likewise), and 64-bit code has no other use for ES.
 */
#ifndef PROBE_PHYS_MACHINE_HOST_INTERRUPTS_H
#define PROBE_PHYS_MACHINE_HOST_INTERRUPTS_H

#include <stdbool.h>

/** interrupts_watch() - from now on */
void interrupts_watch(void);

/**
 * interrupts_seen() - did one come since interrupts_watch()?
 *
 * System calls in between may look like one. Return: true: yes; false: no, or this
 * architecture does not tell.
 */
bool interrupts_seen(void);

#endif
