/* SPDX-License-Identifier: GPL-2.0 */
/* tsc.h - the guest's time-stamp counter. */
#ifndef TSC_H
#define TSC_H

#include <stdbool.h>

/**
 * tsc_from_clock() - make the time-stamp counter count the guest's nanoseconds
 *
 * QEMU passes the host's counter on to the guest. It runs on while the guest's
 * clock stands still or the host does something else, and the module would
 * report slices as too long that were not.
 *
 * Context: before there are threads that run the guest.
 * Return: false: not on this host, the counter stays the host's
 */
bool tsc_from_clock(void);

#endif
