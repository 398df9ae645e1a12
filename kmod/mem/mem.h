/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mem.h - buffers of contiguous memory, and views that map them into user
 * space with one page size. It must not know walks, /dev or netlink. walk and
 * netlink call it, and its own commands. The ways to get memory (ladder, rungs,
 * grant) and page tables stay inside. Functions return 0 or -errno.
 */
#ifndef PP_MEM_H
#define PP_MEM_H

#include "base/base.h"
#include "mem/buffer.h"
#include "mem/view.h"

/* BUFFER_* and VIEW_* */
extern const struct pp_command pp_mem_commands[];

#endif /* PP_MEM_H */
