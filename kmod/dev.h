/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dev.h - the character device and the ioctl dispatch of all descriptors. No
 * other file touches user memory with copy_from_user() or copy_to_user().
 */
#ifndef PP_DEV_H
#define PP_DEV_H

#include <linux/fs.h>

int pp_dev_init(void);
void pp_dev_uninit(void);

/**
 * pp_dev_ioctl() - .unlocked_ioctl of every descriptor of this module
 * @file: session, buffer, view or counter group; its kind decides which
 *        commands it knows
 * @cmd: PROBE_PHYS_IOC_*
 * @arg: address of the command's struct
 *
 * Pair it with compat_ptr_ioctl() as .compat_ioctl.
 */
long pp_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg);

/**
 * pp_dev_get_array() - copy an array that a command's struct points at
 * @to: kernel memory
 * @from: user address
 * @bytes: its length
 * Return: 0 or -EFAULT.
 */
int pp_dev_get_array(void *to, u64 from, size_t bytes);

/** pp_dev_put_array() - the other direction */
int pp_dev_put_array(u64 to, const void *from, size_t bytes);

#endif /* PP_DEV_H */
