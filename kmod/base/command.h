/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command.h - the way of an ioctl command from a descriptor to the function
 * that carries it out and back. Each folder lists its own commands in a table;
 * main.c passes all tables to pp_command_init().
 */
#ifndef PP_COMMAND_H
#define PP_COMMAND_H

#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/types.h>

/* Size of the largest struct of a command. */
#define PP_MAX_ARG_BYTES	320

/* The kinds of descriptors that understand commands. */
enum pp_descriptor {
	PP_ON_SESSION,
	PP_ON_BUFFER,
	PP_ON_VIEW,
	PP_ON_COUNTERS,
};

/**
 * struct pp_call - one command while it is carried out
 * @file: descriptor that received the command
 * @arg: the command's struct, in kernel memory
 * @made: (out) new object, installed after the caller has received its number
 * @made_fd: (out) descriptor number of @made
 */
struct pp_call {
	struct file *file;
	void *arg;
	struct file *made;
	int made_fd;
};

/**
 * struct pp_command - one row of a table
 * @on: kind of descriptor that understands the command
 * @cmd: PROBE_PHYS_IOC_*; only its number and its size count, which is that
 *       of the first published struct
 * @known_bytes: PP_ARG_BYTES() of the struct as it is now
 * @known_flags: flags that mean something
 * @out_on_error: outputs are written back also after an error
 * @permit: 0 or -EPERM
 * @run: carries the command out
 */
struct pp_command {
	enum pp_descriptor on;
	unsigned int cmd;
	u32 known_bytes;
	u32 known_flags;
	bool out_on_error;
	int (*permit)(void);
	int (*run)(struct pp_call *call);
};

/* Size of a command's struct; the compiler refuses one that is too large. */
#define PP_ARG_BYTES(type) \
	(sizeof(type) + BUILD_BUG_ON_ZERO(sizeof(type) > PP_MAX_ARG_BYTES))

/**
 * pp_command_init() - set the tables; before the first descriptor exists
 * @tables: pointers to tables, each of which ends with an empty row; ends with
 *          NULL
 */
void pp_command_init(const struct pp_command *const *tables);

/**
 * pp_command_ioctl() - the .unlocked_ioctl of all descriptors
 * @on: kind of descriptor
 * @file: the descriptor
 * @cmd: PROBE_PHYS_IOC_*, of any size and direction
 * @user: address of the command's struct
 *
 * Return: 0 or -errno as in the uapi header.
 */
long pp_command_ioctl(enum pp_descriptor on, struct file *file,
		      unsigned int cmd, unsigned long user);

/**
 * pp_command_offer() - make a new object an output of the command
 * @call: the command
 * @file: the object, or ERR_PTR; the command takes the reference over
 * @fd: (out) its descriptor number, a field of the command's struct
 *
 * Return: 0 or -errno.
 */
int pp_command_offer(struct pp_call *call, struct file *file, s32 *fd);

#endif /* PP_COMMAND_H */
