/* SPDX-License-Identifier: GPL-2.0 */
/*
 * aside.h - lines that bring translations and nothing else.
 *
 * What lines cost after steps is to show where they are, but translations may have
 * been lost meanwhile as well: another guest's, or the host's doing. Flushing a
 * line of the same page translates its address, and no cache has anything more
 * than before: the last step before lines are timed.
 */
#ifndef PROBE_PHYS_METHOD_PROBE_ASIDE_H
#define PROBE_PHYS_METHOD_PROBE_ASIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "result/result.h"
#include "sequence/sequence.h"

/** ASIDE_PAGE_BYTES - the smallest page */
#define ASIDE_PAGE_BYTES 4096
/** ASIDE_LEAST_BYTES - of a block of lines that stay together */
#define ASIDE_LEAST_BYTES 64

/**
 * struct aside - a page, and what of it is used
 * @page: offset of the page
 * @block_bytes: lines so near to one another may be one line of a lower level
 * @used: by block
 */
struct aside {
	uint64_t page;
	uint64_t block_bytes;
	bool used[ASIDE_PAGE_BYTES / ASIDE_LEAST_BYTES];
};

/** aside_begin() - the page of @line, of which nothing is used
 * @h: levels, as far as they are known
 */
void aside_begin(struct aside *a, const struct hierarchy *h, uint64_t line);

/** aside_use() - @line is used; nothing where it is of another page */
void aside_use(struct aside *a, uint64_t line);

/** aside_use_all() - all lines of @s are */
void aside_use_all(struct aside *a, const struct sequence *s);

/** aside_find() - a line of the page that is far from all that are used
 * Return: false: there is none.
 */
bool aside_find(const struct aside *a, uint64_t *line);

#endif
