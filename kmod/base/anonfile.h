/* SPDX-License-Identifier: GPL-2.0 */
/*
 * anonfile.h - files without a name that have an inode, and so an
 * address_space, of their own: unmap_mapping_range() hits just this file.
 */
#ifndef PP_ANONFILE_H
#define PP_ANONFILE_H

#include <linux/fs.h>

/**
 * pp_anonfile_create() - a new file, not yet installed
 * @name: shown in /proc/PID/fd
 * @fops: its .release must call pp_anonfile_release(); its .owner is held
 * @private: becomes file->private_data
 *
 * Return: the file, readable and writable, or ERR_PTR; after an error .release
 * is not called and the caller still owns @private.
 */
struct file *pp_anonfile_create(const char *name,
				const struct file_operations *fops,
				void *private);

/** pp_anonfile_release() - has to be called once by each file's .release */
void pp_anonfile_release(void);

#endif /* PP_ANONFILE_H */
