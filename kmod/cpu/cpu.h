/* SPDX-License-Identifier: GPL-2.0 */
/* cpu.h - the commands about CPUs and their counters. */
#ifndef PP_CPU_H
#define PP_CPU_H

#include "base/command.h"

extern const struct pp_command pp_cpu_commands[];

#endif /* PP_CPU_H */
