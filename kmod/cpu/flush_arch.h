/* SPDX-License-Identifier: GPL-2.0 */
/* flush_arch.h - what flush_x86.c and flush_arm64.c do for flush.c. */
#ifndef PP_FLUSH_ARCH_H
#define PP_FLUSH_ARCH_H

/**
 * pp_flush_all_here() - write back and invalidate the caches of this CPU
 * @unused: shape of a cross-call function
 *
 * Context: any; only where pp_flush_has_all().
 */
void pp_flush_all_here(void *unused);

#endif /* PP_FLUSH_ARCH_H */
