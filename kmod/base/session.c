// SPDX-License-Identifier: GPL-2.0
/* session.c - accounts of memory: one per open of the device, one in all. */
#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "base/session.h"
#include "limits.h"

static unsigned long max_buffer_mb;
module_param(max_buffer_mb, ulong, 0444);
MODULE_PARM_DESC(max_buffer_mb,
		 "Most MiB held by one session (0: three quarters of memory)");

static unsigned long max_total_mb;
module_param(max_total_mb, ulong, 0444);
MODULE_PARM_DESC(max_total_mb,
		 "Most MiB held by all sessions (0: three quarters of memory)");

static atomic64_t total_bytes;

static u64 cap_bytes(unsigned long mb)
{
	u64 ram = (u64)totalram_pages() << PAGE_SHIFT;

	if (!mb)
		return round_down(ram / PP_DEFAULT_CAP_DEN * PP_DEFAULT_CAP_NUM,
				  (u64)PAGE_SIZE);
	return min_t(u64, mb, ram >> 20) << 20;
}

u64 pp_session_max_bytes(void)
{
	return cap_bytes(max_buffer_mb);
}

u64 pp_session_max_total_bytes(void)
{
	return cap_bytes(max_total_mb);
}

u64 pp_session_used_total_bytes(void)
{
	return atomic64_read(&total_bytes);
}

struct pp_session *pp_session_create(void)
{
	struct pp_session *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (s)
		kref_init(&s->ref);
	return s;
}

void pp_session_get(struct pp_session *s)
{
	kref_get(&s->ref);
}

static void free_session(struct kref *ref)
{
	struct pp_session *s = container_of(ref, struct pp_session, ref);

	WARN_ON_ONCE(atomic64_read(&s->bytes));
	kfree(s);
}

void pp_session_put(struct pp_session *s)
{
	kref_put(&s->ref, free_session);
}

static bool charge(atomic64_t *account, u64 bytes, u64 cap)
{
	s64 used = atomic64_read(account);

	do {
		if (bytes > cap || used > cap - bytes)
			return false;
	} while (!atomic64_try_cmpxchg(account, &used, used + bytes));
	return true;
}

int pp_session_charge(struct pp_session *s, u64 bytes)
{
	if (!charge(&s->bytes, bytes, pp_session_max_bytes()))
		return -ENOSPC;
	if (!charge(&total_bytes, bytes, pp_session_max_total_bytes())) {
		atomic64_sub(bytes, &s->bytes);
		return -ENOSPC;
	}
	return 0;
}

void pp_session_uncharge(struct pp_session *s, u64 bytes)
{
	atomic64_sub(bytes, &s->bytes);
	atomic64_sub(bytes, &total_bytes);
}
