/* SPDX-License-Identifier: GPL-2.0 */
/*
 * access_query.h - accesses to one cache set, written by hand: "A B C A?".
 *
 * A name is a line of the set. Behind it, "?" measures the access, "!" flushes
 * the line instead of accessing it. "@" fills the set: as many lines as it has
 * ways, that no other name stands for; "_" is each line of the last "@", or of
 * the names used so far where there was none, once, in order; "_?" measures
 * each. Parentheses with a number behind them repeat: "(A B)3". After nanoBench
 * (Abel, Reineke 2020) and MemBlockLang (Vila et al., PLDI 2020).
 */
#ifndef PROBE_PHYS_SEQUENCE_ACCESS_QUERY_H
#define PROBE_PHYS_SEQUENCE_ACCESS_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** QUERY_ACCESSES - most accesses of a query */
#define QUERY_ACCESSES 1024
/** QUERY_LINES - most different lines */
#define QUERY_LINES 256
/** QUERY_NAME - room for a name, the end included */
#define QUERY_NAME 16

/**
 * struct query_access - one step
 * @line: number of the line, in the order of first use
 * @measured: whether it missed is wanted
 * @flush: the line is flushed, not accessed
 */
struct query_access {
	unsigned int line;
	bool measured;
	bool flush;
};

/**
 * struct query - a sequence of accesses
 * @accesses: in order, @length of them
 * @names: of the lines, @lines of them; those of "@" are "@1", "@2", ...
 * @measured: accesses that are
 */
struct query {
	struct query_access *accesses;
	size_t length;
	char names[QUERY_LINES][QUERY_NAME];
	unsigned int lines;
	size_t measured;
};

/**
 * query_parse() - read one
 * @ways: of the set, for "@"
 * Return: 0, query_free() later; -EINVAL with @f set (STATUS_USAGE; names the
 * column), or -ENOMEM.
 */
int query_parse(struct query *q, const char *text, unsigned int ways,
		struct failure *f);
void query_free(struct query *q);

#endif
