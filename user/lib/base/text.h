/* SPDX-License-Identifier: GPL-2.0 */
/* text.h - small files of the kernel read, numbers parsed, bytes spelt. */
#ifndef PROBE_PHYS_BASE_TEXT_H
#define PROBE_PHYS_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/**
 * text_read() - the first line of a file, without its newline
 * Return: 0 or -errno; -ENODATA when the file is empty.
 */
int text_read(const char *path, char *line, size_t size);

/**
 * text_read_at() - text_read() of a path that is given printf-like
 * Return: as text_read(); -ENAMETOOLONG.
 */
int text_read_at(char *line, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** text_signed() - a decimal number, perhaps negative, and nothing else */
int text_signed(const char *text, int64_t *value);

/** text_read_number() - text_read(), then a number and nothing else */
int text_read_number(const char *path, uint64_t *value);

/**
 * text_bracketed() - the word in brackets, as in "always [madvise] never"
 * Return: 0, or -EINVAL with @word empty.
 */
int text_bracketed(const char *line, char *word, size_t size);

/**
 * text_bytes() - "64 MiB", "1.5 GiB": the largest unit, one decimal at most
 * Return: @text.
 */
char *text_bytes(uint64_t bytes, char *text, size_t size);

/**
 * text_bytes_exact() - "64 B", "1536 KiB", "1 GiB": the largest unit that
 * divides
 * Return: @text.
 */
char *text_bytes_exact(uint64_t bytes, char *text, size_t size);

/**
 * text_printable() - copy, with '?' for all that is not printable ASCII
 *
 * Names of processes are chosen by their owners: neither a terminal nor JSON
 * may be fed with them raw.
 */
void text_printable(char *to, size_t size, const char *from);

#endif
