/* SPDX-License-Identifier: GPL-2.0 */
/*
 * base.h - what all parts of the module rest on: commands of descriptors,
 * copies from and to user memory, permissions, the registry of objects, memory
 * accounts, statistics, events. It must not know buffers, walks, CPUs or
 * netlink. All other folders call it. Functions return 0 or -errno as in the
 * uapi header.
 */
#ifndef PP_BASE_H
#define PP_BASE_H

#include "base/anonfile.h"
#include "base/command.h"
#include "base/event.h"
#include "base/object.h"
#include "base/permit.h"
#include "base/session.h"
#include "base/stats.h"
#include "base/uaccess.h"

#endif /* PP_BASE_H */
