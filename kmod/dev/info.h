/* SPDX-License-Identifier: GPL-2.0 */
/* info.h - what this kernel on this CPU offers; INFO and INFO_GET share it. */
#ifndef PP_INFO_H
#define PP_INFO_H

#include <uapi/linux/probe_phys.h>

#define PP_VERSION	"0.1.0"

/** pp_info_fill() - all outputs of struct probe_phys_info */
void pp_info_fill(struct probe_phys_info *info);

#endif /* PP_INFO_H */
