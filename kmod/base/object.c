// SPDX-License-Identifier: GPL-2.0
/* object.c - the registry: one numbered set per kind of object. */
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/xarray.h>

#include "base/object.h"
#include "limits.h"

/* Protects all below, and the objects against going away. */
static DEFINE_MUTEX(lock);
static struct xarray objects[PP_OBJECT_KINDS] = {
	[PP_OBJECT_BUFFER] = XARRAY_INIT(objects[PP_OBJECT_BUFFER], 0),
	[PP_OBJECT_VIEW] = XARRAY_INIT(objects[PP_OBJECT_VIEW], 0),
	[PP_OBJECT_COUNTERS] = XARRAY_INIT(objects[PP_OBJECT_COUNTERS], 0),
	[PP_OBJECT_WALK] = XARRAY_INIT(objects[PP_OBJECT_WALK], 0),
};

static unsigned int nr_objects[PP_OBJECT_KINDS];
static u64 last_id;

int pp_object_add(struct pp_object *obj, enum pp_object_kind kind)
{
	int ret;

	obj->kind = kind;
	obj->owner_pid = task_tgid_nr(current);
	get_task_comm(obj->owner_comm, current);

	mutex_lock(&lock);
	if (nr_objects[kind] >= PP_MAX_OBJECTS) {
		ret = -ENOSPC;
		goto unlock;
	}
	obj->id = last_id + 1;
	ret = xa_err(xa_store(&objects[kind], obj->id, obj, GFP_KERNEL));
	if (ret) {
		obj->id = 0;
		goto unlock;
	}
	last_id = obj->id;
	nr_objects[kind]++;
unlock:
	mutex_unlock(&lock);
	return ret;
}

void pp_object_del(struct pp_object *obj)
{
	if (!obj->id)
		return;

	mutex_lock(&lock);
	xa_erase(&objects[obj->kind], obj->id);
	nr_objects[obj->kind]--;
	mutex_unlock(&lock);
}

void pp_object_lock(void)
{
	mutex_lock(&lock);
}

void pp_object_unlock(void)
{
	mutex_unlock(&lock);
}

struct pp_object *pp_object_next(enum pp_object_kind kind, u64 id)
{
	unsigned long index = id;

	lockdep_assert_held(&lock);

	return xa_find(&objects[kind], &index, ULONG_MAX, XA_PRESENT);
}
