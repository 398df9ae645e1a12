/* SPDX-License-Identifier: GPL-2.0 */
/* prefetch.h - hardware prefetchers, switched and always restored. */
#ifndef PP_PREFETCH_H
#define PP_PREFETCH_H

#include <uapi/linux/probe_phys.h>

struct pp_session;

int pp_prefetch_init(void);
void pp_prefetch_uninit(void);

/** pp_prefetch_available() - prefetchers with a documented switch, 0: none */
u32 pp_prefetch_available(void);

/** pp_prefetch_do() - QUERY or SET; errors as in the uapi header */
int pp_prefetch_do(struct pp_session *s, struct probe_phys_prefetch *arg);

/** pp_prefetch_release() - restore what @s has changed; called on its close */
void pp_prefetch_release(struct pp_session *s);

#endif /* PP_PREFETCH_H */
