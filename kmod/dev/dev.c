// SPDX-License-Identifier: GPL-2.0
/* dev.c - /dev/probe_phys: one session per open, released on close. */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/security.h>

#include <uapi/linux/probe_phys.h>

#include "base/base.h"
#include "cpu/cpu.h"
#include "dev/dev.h"

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

static long ioctl_session(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	return pp_command_ioctl(PP_ON_SESSION, file, cmd, arg);
}

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = open_session,
	.release = release_session,
	.unlocked_ioctl = ioctl_session,
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
