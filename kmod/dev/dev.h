/* SPDX-License-Identifier: GPL-2.0 */
/* dev.h - the character device /dev/probe_phys. */
#ifndef PP_DEV_H
#define PP_DEV_H

#include "base/command.h"

extern const struct pp_command pp_dev_commands[];

int pp_dev_init(void);
void pp_dev_uninit(void);

#endif /* PP_DEV_H */
