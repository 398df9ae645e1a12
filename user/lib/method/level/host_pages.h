/* SPDX-License-Identifier: GPL-2.0 */
/*
 * host_pages.h - what a hypervisor has behind pages that the guest has whole.
 *
 * Frames of a guest that follow one another follow one another in the host only
 * inside of the host's pages. Where those are smaller than the guest's, each
 * piece of a page needs a translation of its own, which shows by time.
 */
#ifndef PROBE_PHYS_METHOD_LEVEL_HOST_PAGES_H
#define PROBE_PHYS_METHOD_LEVEL_HOST_PAGES_H

#include "method/level/level.h"

/** HOST_PAGES_BYTES - of the pieces that are looked for: the smallest page there is */
#define HOST_PAGES_BYTES 4096

/**
 * host_pages_measure() - does each piece of contiguous guest memory need a translation of
 * its own?
 *
 * Lines of as many pieces, all of which the first cache holds, against as many in
 * a row. Only a clear answer counts: that they do takes contiguity away from what
 * is measured later, that they do not proves nothing (arrays of many entries,
 * pages of the host between 4 KiB and the guest's).
 * @p: (in, out) its pieces are VERDICT_NON_COMPACT where they do: it is measured once,
 *     and never on hardware
 * @first: the first cache
 * Return: 0, -EINTR when stopped, or another -errno with @f set.
 */
int host_pages_measure(struct prober *p, const struct xray_level *first,
		       struct failure *f);

#endif
