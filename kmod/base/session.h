/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session.h - one open of /dev/probe_phys: the byte account of its buffers and
 * the prefetchers that it owns.
 */
#ifndef PP_SESSION_H
#define PP_SESSION_H

#include <linux/kref.h>
#include <linux/types.h>

/**
 * struct pp_session - one open of the device
 * @ref: held by the open file and by each buffer made from it
 * @bytes: bytes charged now (atomic)
 */
struct pp_session {
	struct kref ref;
	atomic64_t bytes;
};

/** pp_session_create() - a session with one reference, or NULL */
struct pp_session *pp_session_create(void);

/** pp_session_get() - take a reference */
void pp_session_get(struct pp_session *s);

/** pp_session_put() - drop a reference; the last one frees the session */
void pp_session_put(struct pp_session *s);

/**
 * pp_session_charge() - account memory to a session and to the module
 * @s: session
 * @bytes: how much
 *
 * Return: 0, or -ENOSPC when a cap (module parameters max_buffer_mb,
 * max_total_mb) would be exceeded; then nothing was charged.
 */
int pp_session_charge(struct pp_session *s, u64 bytes);

/** pp_session_uncharge() - give charged bytes back */
void pp_session_uncharge(struct pp_session *s, u64 bytes);

/** pp_session_max_bytes() - most bytes that one session may hold */
u64 pp_session_max_bytes(void);

/** pp_session_max_total_bytes() - most bytes that all sessions may hold */
u64 pp_session_max_total_bytes(void);

/** pp_session_used_total_bytes() - bytes that all sessions hold now */
u64 pp_session_used_total_bytes(void);

#endif /* PP_SESSION_H */
