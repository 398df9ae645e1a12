// SPDX-License-Identifier: GPL-2.0
/* uaccess.c - every copy_from_user() and copy_to_user() of the module. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "base/uaccess.h"

int pp_uaccess_get_array(void *to, u64 from, size_t bytes)
{
	return copy_from_user(to, u64_to_user_ptr(from), bytes) ? -EFAULT : 0;
}

int pp_uaccess_put_array(u64 to, const void *from, size_t bytes)
{
	return copy_to_user(u64_to_user_ptr(to), from, bytes) ? -EFAULT : 0;
}

int pp_uaccess_get_struct(void *to, u32 known_bytes, u32 first_bytes,
			  const void __user *from)
{
	u32 bytes;
	int ret;

	if (get_user(bytes, (const u32 __user *)from))
		return -EFAULT;
	if (bytes < first_bytes || bytes > PAGE_SIZE)
		return -EINVAL;
	ret = copy_struct_from_user(to, known_bytes, from, bytes);
	if (ret)
		return ret;
	/* User space can change the size between the two reads. */
	*(u32 *)to = bytes;
	return 0;
}

int pp_uaccess_put_struct(void __user *to, const void *from, u32 known_bytes)
{
	u32 bytes = min(*(const u32 *)from, known_bytes);

	return copy_to_user(to, from, bytes) ? -EFAULT : 0;
}
