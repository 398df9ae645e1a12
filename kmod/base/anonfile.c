// SPDX-License-Identifier: GPL-2.0
/* anonfile.c - an internal file system whose inodes back single files. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "base/anonfile.h"

static struct vfsmount *mount;
static int mount_users;

static int init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, ANON_INODE_FS_MAGIC) ? 0 : -ENOMEM;
}

/*
 * Not anon_inodefs: newer kernels mount that noexec, and its inode is shared.
 * The module owns the type, so that a superblock that is freed after the last
 * file cannot outlive the code; for the same reason it is mounted only while
 * there are files.
 */
static struct file_system_type fs_type = {
	.name = KBUILD_MODNAME,
	.owner = THIS_MODULE,
	.init_fs_context = init_fs_context,
	.kill_sb = kill_anon_super,
};

static struct file *create_file(const char *name,
				const struct file_operations *fops,
				void *private)
{
	struct inode *inode;
	struct file *file;

	inode = alloc_anon_inode(mount->mnt_sb);
	if (IS_ERR(inode))
		return ERR_CAST(inode);

	file = alloc_file_pseudo(inode, mount, name, O_RDWR, fops);
	if (IS_ERR(file)) {
		iput(inode);
		return file;
	}
	file->private_data = private;
	return file;
}

struct file *pp_anonfile_create(const char *name,
				const struct file_operations *fops,
				void *private)
{
	struct file *file;
	int ret;

	/* The last fput drops this reference, but nothing else takes it. */
	if (!try_module_get(fops->owner))
		return ERR_PTR(-ENODEV);

	ret = simple_pin_fs(&fs_type, &mount, &mount_users);
	if (ret) {
		file = ERR_PTR(ret);
		goto put_module;
	}

	file = create_file(name, fops, private);
	if (!IS_ERR(file))
		return file;

	simple_release_fs(&mount, &mount_users);
put_module:
	module_put(fops->owner);
	return file;
}

void pp_anonfile_release(void)
{
	simple_release_fs(&mount, &mount_users);
}
