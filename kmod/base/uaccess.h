/* SPDX-License-Identifier: GPL-2.0 */
/*
 * uaccess.h - copies between user memory and kernel memory. No other file of
 * the module calls copy_from_user() or copy_to_user().
 */
#ifndef PP_UACCESS_H
#define PP_UACCESS_H

#include <linux/compiler_types.h>
#include <linux/types.h>

/**
 * pp_uaccess_get_array() - read an array that a command's struct points at
 * @to: kernel memory
 * @from: user address
 * @bytes: length of the array
 *
 * Return: 0 or -EFAULT.
 */
int pp_uaccess_get_array(void *to, u64 from, size_t bytes);

/** pp_uaccess_put_array() - write such an array. Return: 0 or -EFAULT. */
int pp_uaccess_put_array(u64 to, const void *from, size_t bytes);

/**
 * pp_uaccess_get_struct() - read a command's struct of any published size
 * @to: kernel memory, the first 32 bits of the struct are its size
 * @known_bytes: size of the struct in this module
 * @first_bytes: size of the struct when it was first published
 * @from: user memory
 *
 * Fields that the caller does not know become 0.
 * Return: 0, -EFAULT, -EINVAL below @first_bytes or above a page, -E2BIG when
 * a field that this module does not know is not 0.
 */
int pp_uaccess_get_struct(void *to, u32 known_bytes, u32 first_bytes,
			  const void __user *from);

/**
 * pp_uaccess_put_struct() - write back the part of a struct that both know
 * @to: user memory
 * @from: struct that pp_uaccess_get_struct() read
 * @known_bytes: size of the struct in this module
 *
 * Return: 0 or -EFAULT.
 */
int pp_uaccess_put_struct(void __user *to, const void *from, u32 known_bytes);

#endif /* PP_UACCESS_H */
