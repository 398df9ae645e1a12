/* SPDX-License-Identifier: GPL-2.0 */
/* treekit.h - files below a folder of its own, as below / on some computer. */
#ifndef PROBE_PHYS_UNIT_KIT_TREEKIT_H
#define PROBE_PHYS_UNIT_KIT_TREEKIT_H

#include <stddef.h>

/** TREEKIT_NAME - of such a folder, until it is made */
#define TREEKIT_NAME "/tmp/probe-phys-XXXXXX"

/** treekit_make() - @top: TREEKIT_NAME, which is changed */
void treekit_make(char *top);

/** treekit_put() - a file, with the folders that lead to it */
void treekit_put(const char *top, const char *path, const void *bytes,
		 size_t size);

/** treekit_write() - the same, of @text without its zero */
void treekit_write(const char *top, const char *path, const char *text);

/** treekit_drop() - all of it */
void treekit_drop(const char *top);

#endif
