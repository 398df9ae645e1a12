/* SPDX-License-Identifier: GPL-2.0 */
/* mem.h - the commands about buffers and views. */
#ifndef PP_MEM_H
#define PP_MEM_H

#include "base/command.h"

extern const struct pp_command pp_mem_commands[];

#endif /* PP_MEM_H */
