// SPDX-License-Identifier: GPL-2.0
/*
 * dev.c - /dev/probe_phys and the way of a command between user memory and
 * command.c. Every copy_from_user() and copy_to_user() is here.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/uaccess.h>

#include <uapi/linux/probe_phys.h>

#include "command.h"
#include "dev.h"
#include "prefetch.h"
#include "session.h"
#include "stats.h"

/* --- user memory --------------------------------------------------------- */

int pp_dev_get_array(void *to, u64 from, size_t bytes)
{
	return copy_from_user(to, u64_to_user_ptr(from), bytes) ? -EFAULT : 0;
}

int pp_dev_put_array(u64 to, const void *from, size_t bytes)
{
	return copy_to_user(u64_to_user_ptr(to), from, bytes) ? -EFAULT : 0;
}

static int copy_in(const struct pp_command *command, union pp_args *args,
		   void __user *user)
{
	u32 size;
	int ret;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < _IOC_SIZE(command->cmd) || size > PAGE_SIZE)
		return -EINVAL;
	ret = copy_struct_from_user(args, command->known_size, user, size);
	if (ret)
		return ret;
	/* It may have been changed between the two reads. */
	args->size = size;
	return args->flags & ~command->known_flags ? -EINVAL : 0;
}

static int copy_out(const struct pp_command *command, const union pp_args *args,
		    void __user *user)
{
	size_t size = min(args->size, command->known_size);

	return copy_to_user(user, args, size) ? -EFAULT : 0;
}

/* The descriptor exists for others only when its number has been told. */
static void settle_file(struct pp_call *call, bool told)
{
	if (!call->made)
		return;
	if (told) {
		fd_install(call->made_fd, call->made);
	} else {
		put_unused_fd(call->made_fd);
		fput(call->made);
	}
}

/* --- dispatch ------------------------------------------------------------ */

long pp_dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct pp_command *command = pp_command_find(file, cmd);
	struct pp_call call = { .file = file };
	void __user *user = (void __user *)arg;
	int ret;

	if (!command)
		return -ENOTTY;
	ret = command->permit();
	if (ret)
		return ret;
	ret = copy_in(command, &call.args, user);
	if (ret)
		return ret;

	ret = command->run(&call);
	if (!ret)
		ret = copy_out(command, &call.args, user);
	else if (command->out_on_error)
		copy_out(command, &call.args, user);
	settle_file(&call, !ret);
	return ret;
}

/* --- the device ---------------------------------------------------------- */

static int open_session(struct inode *inode, struct file *file)
{
	struct pp_session *s;
	int ret;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	ret = security_locked_down(LOCKDOWN_DEV_MEM);
	if (ret)
		return ret;

	s = pp_session_create();
	if (!s)
		return -ENOMEM;
	file->private_data = s;
	pp_stats_add(PP_STAT_SESSIONS_OPENED, 1);
	return stream_open(inode, file);
}

static int release_session(struct inode *inode, struct file *file)
{
	struct pp_session *s = file->private_data;

	pp_prefetch_release(s);
	pp_session_put(s);
	pp_stats_add(PP_STAT_SESSIONS_CLOSED, 1);
	return 0;
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = open_session,
	.release = release_session,
	.unlocked_ioctl = pp_dev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = KBUILD_MODNAME,
	.fops = &session_fops,
	.mode = 0600,
};

int pp_dev_init(void)
{
	return misc_register(&device);
}

void pp_dev_uninit(void)
{
	misc_deregister(&device);
}
