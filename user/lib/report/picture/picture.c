// SPDX-License-Identifier: GPL-2.0
/* picture.c - write the sheet to a file; a failure leaves an old file
 * unchanged.
 */
#include "report/picture/picture.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/picture/paint.h"
#include "report/picture/panel.h"

#define FILE_MODE 0666
#define NAMES_TRIED 100

/**
 * struct target - the file of a picture
 * @path: path of the file, links resolved
 * @beside: path of a new file in the same folder; empty: written in place (a
 *          pipe, a device)
 */
struct target {
	char path[PATH_MAX];
	char beside[PATH_MAX + 32];
	enum paint_format format;
	FILE *out;
};

static int find_format(const char *path, enum paint_format *format,
		       struct failure *f)
{
	static const struct {
		const char *suffix;
		enum paint_format format;
	} known[] = { { ".svg", PAINT_SVG },
		      { ".png", PAINT_PNG },
		      { ".pdf", PAINT_PDF } };
	const char *suffix = strrchr(path, '.');

	for (size_t i = 0; suffix && i < sizeof(known) / sizeof(known[0]); i++)
		if (strcasecmp(suffix, known[i].suffix) == 0) {
			*format = known[i].format;
			return 0;
		}
	return fail(
		f, STATUS_USAGE, EINVAL,
		"cannot draw '%.200s': its name has no known suffix (end it in .svg, .png or .pdf)",
		path);
}

static int refuse(const char *path, int error, struct failure *f)
{
	const char *remedy = "choose another file";

	if (error == ENOENT || error == ENOTDIR)
		remedy = "make its folder first";
	else if (error == ENOSPC || error == EDQUOT)
		remedy = "free some space there";
	else if (error == EISDIR)
		remedy = "name a file in it";
	return fail(f, STATUS_FAILED, error ? error : EIO,
		    "cannot write '%.200s': %s (%s)", path,
		    strerror(error ? error : EIO), remedy);
}

/* Resolve links: the file is replaced, not the link. */
static int resolve(struct target *t, const char *path, struct failure *f)
{
	char *real;

	if (strlen(path) >= sizeof(t->path))
		return refuse(path, ENAMETOOLONG, f);
	strcpy(t->path, path);
	real = realpath(path, NULL);
	if (!real)
		return errno == ENOENT ? 0 : refuse(path, errno, f);
	if (strlen(real) < sizeof(t->path))
		strcpy(t->path, real);
	free(real);
	return 0;
}

static int open_beside(struct target *t)
{
	const char *slash = strrchr(t->path, '/');
	int folder = slash ? (int)(slash - t->path) + 1 : 0;
	int fd = -1;

	for (int i = 0; fd < 0 && i < NAMES_TRIED; i++) {
		snprintf(t->beside, sizeof(t->beside), "%.*s.%s.%ld.%d", folder,
			 t->path, "probe-phys", (long)getpid(), i);
		fd = open(t->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  FILE_MODE);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

static int open_target(struct target *t, const char *path, struct failure *f)
{
	struct stat there;
	int fd, error;

	if (stat(t->path, &there) == 0 && S_ISDIR(there.st_mode))
		return refuse(path, EISDIR, f);
	if (stat(t->path, &there) == 0 && !S_ISREG(there.st_mode)) {
		t->beside[0] = '\0';
		fd = open(t->path, O_WRONLY | O_CLOEXEC);
	} else {
		fd = open_beside(t);
	}
	error = errno;
	t->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (t->out)
		return 0;
	if (fd >= 0) {
		error = errno;
		close(fd);
		if (t->beside[0])
			unlink(t->beside);
	}
	return refuse(path, error, f);
}

/* Replace the old file only after the new one is complete and on the disk. */
static int close_target(struct target *t, const char *path, int error,
			struct failure *f)
{
	if (!error && fflush(t->out) != 0)
		error = -errno;
	if (!error && t->beside[0] && fsync(fileno(t->out)) != 0)
		error = -errno;
	if (fclose(t->out) != 0 && !error)
		error = -errno;
	if (!error && t->beside[0] && rename(t->beside, t->path) != 0)
		error = -errno;
	if (error && t->beside[0])
		unlink(t->beside);
	/* The drawing sets @f itself if it fails. */
	return error ? refuse(path, -error, f) : 0;
}

static int prepare(struct target *t, const char *path, struct failure *f)
{
	int error = find_format(path, &t->format, f);

	if (!error && !paint_there())
		error = fail(f, STATUS_UNAVAILABLE, ENOSYS,
			     "cannot draw '%.200s': built without cairo (%s)",
			     path, PAINT_MISSING);
	return error ? error : resolve(t, path, f);
}

int picture_check(const char *path, struct failure *f)
{
	struct target t;
	int error = prepare(&t, path, f);

	if (!error)
		error = open_target(&t, path, f);
	if (error)
		return error;
	fclose(t.out);
	if (t.beside[0])
		unlink(t.beside);
	return 0;
}

static int draw(struct target *t, const struct picture *picture,
		struct failure *f)
{
	struct scene_metrics metrics;
	struct scene scene;
	struct paint_metrics *m = paint_metrics_open(&metrics, f);
	int error;

	if (!m)
		return -ENOMEM;
	picture_compose(&scene, picture, &metrics);
	if (scene.failed)
		error = fail(
			f, STATUS_FAILED, ENOMEM,
			"cannot draw the picture: out of memory (free some)");
	else
		error = paint(&scene, t->format, t->out, f);
	scene_free(&scene);
	paint_metrics_close(m);
	return error;
}

int picture_write(const struct picture *picture, const char *path,
		  struct failure *f)
{
	struct target t;
	int error = prepare(&t, path, f);

	if (!error)
		error = open_target(&t, path, f);
	if (error)
		return error;
	return close_target(&t, path, draw(&t, picture, f), f);
}
