// SPDX-License-Identifier: GPL-2.0
/* command.c - look-up, permission, copies and new descriptors of commands. */
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/ioctl.h>

#include <uapi/linux/probe_phys.h>

#include "base/command.h"
#include "base/uaccess.h"

/* The struct of any command. */
union arg {
	struct {
		u32 size;
		u32 flags;
	};
	u64 room[PP_MAX_ARG_BYTES / sizeof(u64)];
};

static const struct pp_command *const *all_tables __ro_after_init;

void pp_command_init(const struct pp_command *const *tables)
{
	all_tables = tables;
}

static const struct pp_command *find_in(const struct pp_command *table,
					enum pp_descriptor on, unsigned int nr)
{
	const struct pp_command *c;

	for (c = table; c->run; c++)
		if (c->on == on && _IOC_NR(c->cmd) == nr)
			return c;
	return NULL;
}

static const struct pp_command *find(enum pp_descriptor on, unsigned int cmd)
{
	const struct pp_command *const *table, *found = NULL;

	if (_IOC_TYPE(cmd) != PROBE_PHYS_IOC_MAGIC)
		return NULL;
	for (table = all_tables; *table && !found; table++)
		found = find_in(*table, on, _IOC_NR(cmd));
	return found;
}

int pp_command_offer(struct pp_call *call, struct file *file, s32 *fd)
{
	int number;

	if (IS_ERR(file))
		return PTR_ERR(file);
	number = get_unused_fd_flags(O_CLOEXEC);
	if (number < 0) {
		fput(file);
		return number;
	}
	call->made = file;
	call->made_fd = number;
	*fd = number;
	return 0;
}

/* User space can use the descriptor only after it has read its number. */
static void settle_file(struct pp_call *call, bool number_is_out)
{
	if (!call->made)
		return;
	if (number_is_out) {
		fd_install(call->made_fd, call->made);
	} else {
		put_unused_fd(call->made_fd);
		fput(call->made);
	}
}

long pp_command_ioctl(enum pp_descriptor on, struct file *file,
		      unsigned int cmd, unsigned long user)
{
	const struct pp_command *command = find(on, cmd);
	void __user *to = (void __user *)user;
	union arg arg = {};
	struct pp_call call = { .file = file, .arg = &arg };
	int ret;

	if (!command)
		return -ENOTTY;
	ret = command->permit();
	if (ret)
		return ret;
	ret = pp_uaccess_get_struct(&arg, command->known_bytes,
				    _IOC_SIZE(command->cmd), to);
	if (ret)
		return ret;
	if (arg.flags & ~command->known_flags)
		return -EINVAL;

	ret = command->run(&call);
	if (!ret)
		ret = pp_uaccess_put_struct(to, &arg, command->known_bytes);
	else if (command->out_on_error)
		pp_uaccess_put_struct(to, &arg, command->known_bytes);
	settle_file(&call, !ret);
	return ret;
}
