/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command.h - the commands: which descriptor knows which, who may give it, and
 * what it does once its struct is in kernel memory.
 */
#ifndef PP_COMMAND_H
#define PP_COMMAND_H

#include <linux/fs.h>

#include <uapi/linux/probe_phys.h>

/* Any command's struct; each begins with @size and @flags. */
union pp_args {
	struct {
		u32 size;
		u32 flags;
	};
	struct probe_phys_info info;
	struct probe_phys_flush_all flush_all;
	struct probe_phys_prefetch prefetch;
	struct probe_phys_buffer_create buffer_create;
	struct probe_phys_buffer_info buffer_info;
	struct probe_phys_buffer_extents buffer_extents;
	struct probe_phys_buffer_flush buffer_flush;
	struct probe_phys_view_create view_create;
	struct probe_phys_view_resolve view_resolve;
	struct probe_phys_view_flush view_flush;
	struct probe_phys_counters_create counters_create;
	struct probe_phys_counters_control counters_control;
	struct probe_phys_counters_read counters_read;
	struct probe_phys_walk walk;
};

/**
 * struct pp_call - one command on its way
 * @file: descriptor that it came in on
 * @args: its struct
 * @made: (out) new object, installed once the caller knows its number
 * @made_fd: (out) that number
 */
struct pp_call {
	struct file *file;
	union pp_args args;
	struct file *made;
	int made_fd;
};

/**
 * struct pp_command - a row of a table
 * @cmd: PROBE_PHYS_IOC_*; only its number and its size count, which is that
 *       of the first published struct
 * @known_size: size of the struct as it is now
 * @known_flags: flags that mean something
 * @out_on_error: outputs go back whatever came out
 * @permit: 0 or -EPERM
 * @run: does it
 */
struct pp_command {
	unsigned int cmd;
	u32 known_size;
	u32 known_flags;
	bool out_on_error;
	int (*permit)(void);
	int (*run)(struct pp_call *call);
};

/**
 * pp_command_find() - look a command up
 * @file: descriptor that it came in on
 * @cmd: its number, of any size and direction
 * Return: the command, or NULL when this kind of descriptor does not know it.
 */
const struct pp_command *pp_command_find(struct file *file, unsigned int cmd);

#endif /* PP_COMMAND_H */
