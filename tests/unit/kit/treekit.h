/* SPDX-License-Identifier: GPL-2.0 */
/*
 * treekit.h - files below a temporary folder, as below / on another computer.
 */
#ifndef PROBE_PHYS_UNIT_KIT_TREEKIT_H
#define PROBE_PHYS_UNIT_KIT_TREEKIT_H

#include <stddef.h>

/** TREEKIT_NAME - template for treekit_make() */
#define TREEKIT_NAME "/tmp/probe-phys-XXXXXX"

/** treekit_make() - make the folder. @top: TREEKIT_NAME; (out) its name */
void treekit_make(char *top);

/** treekit_put() - write a file and make the folders above it */
void treekit_put(const char *top, const char *path, const void *bytes,
		 size_t size);

/** treekit_write() - the same with @text, without its final 0 */
void treekit_write(const char *top, const char *path, const char *text);

/** treekit_drop() - remove the folder and all files */
void treekit_drop(const char *top);

#endif
