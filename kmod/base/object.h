/* SPDX-License-Identifier: GPL-2.0 */
/*
 * object.h - the common part of buffers, views, counter groups and walks: a
 * number, an owner, a place in the registry that netlink lists.
 */
#ifndef PP_OBJECT_H
#define PP_OBJECT_H

#include <linux/sched.h>
#include <linux/types.h>

enum pp_object_kind {
	PP_OBJECT_BUFFER,
	PP_OBJECT_VIEW,
	PP_OBJECT_COUNTERS,
	PP_OBJECT_WALK,
	PP_OBJECT_KINDS,
};

/**
 * struct pp_object - embedded in everything that netlink lists
 * @id: number, unique over all kinds since load, never 0
 * @kind: kind of the struct around it
 * @owner_pid: tgid of the creator in the init pid namespace
 * @owner_comm: its name at that time
 *
 * Written before pp_object_add() publishes it, constant afterwards.
 */
struct pp_object {
	u64 id;
	enum pp_object_kind kind;
	pid_t owner_pid;
	char owner_comm[TASK_COMM_LEN];
};

/**
 * pp_object_add() - number an object and publish it
 * @obj: zeroed; @id and the owner are filled in from current
 * @kind: kind of the object
 *
 * Context: process. Return: 0, -ENOSPC when PP_MAX_OBJECTS of the kind exist,
 * -ENOMEM.
 */
int pp_object_add(struct pp_object *obj, enum pp_object_kind kind);

/**
 * pp_object_del() - take an object out of the registry
 * @obj: an added object, not yet freed
 *
 * On return no pp_object_next() caller holds it any more. Does nothing to an
 * object that was not added (id 0). Context: process, may sleep.
 */
void pp_object_del(struct pp_object *obj);

/**
 * pp_object_lock() - keep all objects from going away
 *
 * Held by netlink over one datagram of a dump. Context: process.
 */
void pp_object_lock(void);

/** pp_object_unlock() - end what pp_object_lock() began */
void pp_object_unlock(void);

/**
 * pp_object_next() - the object of a kind with the lowest number >= @id
 * @kind: which kind
 * @id: where to begin
 *
 * Context: under pp_object_lock(). Return: the object, valid until the unlock,
 * or NULL.
 */
struct pp_object *pp_object_next(enum pp_object_kind kind, u64 id);

#endif /* PP_OBJECT_H */
