/* SPDX-License-Identifier: GPL-2.0 */
/* commands.h - all commands of the device in one table, with good arguments. */
#ifndef T_COMMANDS_H
#define T_COMMANDS_H

#include "kit/t.h"

enum t_kind {
	T_SESSION,
	T_BUFFER,
	T_VIEW,
	T_COUNTERS,
	T_KINDS
};

/* One descriptor of each kind, and a touched mapping of the view. */
struct t_fds {
	int of[T_KINDS];
	char *at;
};

/**
 * struct t_command - one command
 * @name: of the command
 * @cmd: its number
 * @size: of its struct
 * @first_size: first published size, 0: the same
 * @kind: the descriptor that understands it
 * @fill: writes an argument that succeeds (unless @good says otherwise)
 * @known_flags: bits of flags that exist
 * @reserved: offset of the field that must be 0, 0: none
 * @made: offset of the descriptor that it makes, 0: none
 * @writes: it has outputs
 * @needs: EOPNOTSUPP is as good as success
 */
struct t_command {
	const char *name;
	unsigned long cmd;
	uint32_t size;
	uint32_t first_size;
	enum t_kind kind;
	void (*fill)(void *arg, const struct t_fds *fds);
	uint32_t known_flags;
	size_t reserved;
	size_t made;
	bool writes;
	bool needs;
};

extern const struct t_command t_commands[];
extern const size_t t_nr_commands;

/* First published size of the struct of @c. */
static inline uint32_t t_first_size(const struct t_command *c)
{
	return c->first_size ? c->first_size : c->size;
}

struct t_fds t_all_fds(void);

/* A page behind which nothing can be read or written. */
char *t_edge_page(void);

/* A good argument of @c at @arg, with everything after it up to @room zero. */
void t_fill(const struct t_command *c, const struct t_fds *fds, void *arg,
	    size_t room);

/* Run @c; asserts @want, closes what was made. */
void t_run(const struct t_command *c, const struct t_fds *fds, void *arg,
	   int want, const char *what);

#endif /* T_COMMANDS_H */
