/* SPDX-License-Identifier: GPL-2.0 */
/*
 * interrupts.h - whether this thread was interrupted.
 *
 * An interrupt handler evicts lines unnoticed by the thread. On x86 a segment
 * register shows it: the IRET that ends an interrupt makes a null selector that
 * is not 0 into 0 (Intel SDM volume 2, IRET: "RETURN-TO-OUTER-PRIVILEGE-LEVEL";
 * AMD64 APM volume 3 likewise), and 64-bit code has no other use for ES.
 */
#ifndef PROBE_PHYS_MACHINE_HOST_INTERRUPTS_H
#define PROBE_PHYS_MACHINE_HOST_INTERRUPTS_H

#include <stdbool.h>

/** interrupts_watch() - watch for interrupts from now on */
void interrupts_watch(void);

/**
 * interrupts_seen() - whether an interrupt came since interrupts_watch()
 *
 * A system call in between may look like one. Return: false also where the
 * architecture does not show it.
 */
bool interrupts_seen(void);

#endif
