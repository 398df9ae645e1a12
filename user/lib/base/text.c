// SPDX-License-Identifier: GPL-2.0
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"

int text_read(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	int error;

	line[0] = '\0';
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, line, size - 1);
	} while (got < 0 && errno == EINTR);
	error = got < 0 ? -errno : got == 0 ? -ENODATA : 0;
	close(fd);
	line[got > 0 ? got : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return error;
}

int text_read_at(char *line, size_t size, const char *format, ...)
{
	char path[PATH_MAX];
	va_list args;
	int length;

	line[0] = '\0';
	va_start(args, format);
	length = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	return length < 0 || (size_t)length >= sizeof(path) ?
		       -ENAMETOOLONG :
		       text_read(path, line, size);
}

int text_signed(const char *text, int64_t *value)
{
	bool negative = text[0] == '-';
	uint64_t magnitude;
	int error;

	error = parse_number(text + negative, 0, INT64_MAX, &magnitude);
	if (!error)
		*value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	return error;
}

int text_read_number(const char *path, uint64_t *value)
{
	char line[32];
	int error = text_read(path, line, sizeof(line));

	return error ? error : parse_number(line, 0, UINT64_MAX, value);
}

int text_bracketed(const char *line, char *word, size_t size)
{
	const char *begin = strchr(line, '[');
	const char *end = begin ? strchr(begin, ']') : NULL;

	word[0] = '\0';
	if (!end || (size_t)(end - begin) > size)
		return -EINVAL;
	memcpy(word, begin + 1, end - begin - 1);
	word[end - begin - 1] = '\0';
	return 0;
}

static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };

#define UNITS (sizeof(units) / sizeof(units[0]))

char *text_bytes(uint64_t bytes, char *text, size_t size)
{
	uint64_t unit = 1;
	size_t i = 0;

	while (bytes / unit >= 1024 && i + 1 < UNITS) {
		unit *= 1024;
		i++;
	}
	if (bytes % unit)
		snprintf(text, size, "%.1f %s", (double)bytes / (double)unit,
			 units[i]);
	else
		snprintf(text, size, "%" PRIu64 " %s", bytes / unit, units[i]);
	return text;
}

char *text_bytes_exact(uint64_t bytes, char *text, size_t size)
{
	size_t i = 0;

	while (bytes && bytes % 1024 == 0 && i + 1 < UNITS) {
		bytes /= 1024;
		i++;
	}
	snprintf(text, size, "%" PRIu64 " %s", bytes, units[i]);
	return text;
}

void text_printable(char *to, size_t size, const char *from)
{
	size_t i;

	for (i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[i] = '\0';
}
