/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev.h - the character device /dev/probe_phys, and what this kernel on this
 * CPU offers. It must not know netlink. main.c registers the device; INFO and
 * netlink's INFO_GET share pp_info_fill(). Functions return 0 or -errno.
 */
#ifndef PP_DEV_H
#define PP_DEV_H

#include <uapi/linux/probe_phys.h>

#include "base/base.h"

#define PP_VERSION	"0.1.0"

/* INFO */
extern const struct pp_command pp_dev_commands[];

int pp_dev_init(void);
void pp_dev_uninit(void);

/** pp_info_fill() - all outputs of struct probe_phys_info */
void pp_info_fill(struct probe_phys_info *info);

#endif /* PP_DEV_H */
