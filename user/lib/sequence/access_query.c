// SPDX-License-Identifier: GPL-2.0
#include "sequence/access_query.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_REPETITIONS 999
#define NO_LINE (~0U)

/**
 * struct reader - a text on its way to a query
 * @text: all of it
 * @at: the rest of the text
 * @q: query so far
 * @ways: of the set
 * @filled: first line of the last "@", NO_LINE: none yet
 * @fills: "@" so far
 * @f: first complaint
 */
struct reader {
	const char *text;
	const char *at;
	struct query *q;
	unsigned int ways;
	unsigned int filled;
	unsigned int fills;
	struct failure *f;
};

static int refuse(struct reader *r, const char *at, const char *why,
		  const char *remedy)
{
	return fail(r->f, STATUS_USAGE, EINVAL, "query: column %zu: %s (%s)",
		    (size_t)(at - r->text) + 1, why, remedy);
}

static int add(struct reader *r, struct query_access access)
{
	struct query *q = r->q;

	if (q->length == QUERY_ACCESSES)
		return refuse(r, r->at, "more than 1024 accesses",
			      "make it shorter");
	q->accesses[q->length++] = access;
	q->measured += access.measured;
	return 0;
}

static int add_line(struct reader *r, const char *name, size_t length,
		    unsigned int *line)
{
	struct query *q = r->q;

	for (*line = 0; *line < q->lines; ++*line)
		if (strlen(q->names[*line]) == length &&
		    !memcmp(q->names[*line], name, length))
			return 0;
	if (q->lines == QUERY_LINES)
		return refuse(r, name, "more than 256 lines",
			      "use some of them again");
	memcpy(q->names[q->lines], name, length);
	q->names[q->lines++][length] = '\0';
	return 0;
}

/* "?" and "!" behind a name; not both. */
static int read_marks(struct reader *r, struct query_access *access)
{
	for (; *r->at == '?' || *r->at == '!'; r->at++) {
		if (access->measured || access->flush)
			return refuse(r, r->at, "one mark too many",
				      "give ? or !, once");
		access->measured = *r->at == '?';
		access->flush = *r->at == '!';
	}
	return 0;
}

static int read_name(struct reader *r)
{
	struct query_access access = { .measured = false };
	const char *name = r->at;
	int error;

	while (isalnum((unsigned char)*r->at))
		r->at++;
	if (r->at - name >= QUERY_NAME)
		return refuse(r, name, "name longer than 15 characters",
			      "shorten it");
	error = add_line(r, name, (size_t)(r->at - name), &access.line);
	if (!error)
		error = read_marks(r, &access);
	return error ? error : add(r, access);
}

/* Lines without another name. */
static int read_fill(struct reader *r)
{
	struct query_access access = { .measured = false };
	int error;

	r->at++;
	error = read_marks(r, &access);
	r->fills++;
	for (unsigned int i = 0; !error && i < r->ways; i++) {
		char name[QUERY_NAME];
		int length = snprintf(name, sizeof(name), "@%u",
				      (r->fills - 1) * r->ways + i + 1);

		error = add_line(r, name, (size_t)length, &access.line);
		if (!i)
			r->filled = access.line;
		if (!error)
			error = add(r, access);
	}
	return error;
}

static int read_each(struct reader *r)
{
	struct query_access access = { .measured = false };
	const char *begin = r->at++;
	unsigned int first = r->filled == NO_LINE ? 0 : r->filled;
	unsigned int end = r->filled == NO_LINE ? r->q->lines :
						  r->filled + r->ways;
	int error = read_marks(r, &access);

	if (!error && first == end)
		error = refuse(r, begin, "no lines so far",
			       "name some before _");
	for (access.line = first; !error && access.line < end; access.line++)
		error = add(r, access);
	return error;
}

/* Behind a parenthesis; 1 when there is none. */
static int read_number(struct reader *r, unsigned int *number)
{
	const char *begin = r->at;

	*number = isdigit((unsigned char)*r->at) ? 0 : 1;
	for (; isdigit((unsigned char)*r->at); r->at++) {
		*number = 10 * *number + (unsigned int)(*r->at - '0');
		if (*number > MOST_REPETITIONS)
			break;
	}
	if (!*number || *number > MOST_REPETITIONS)
		return refuse(r, begin, "cannot repeat that often",
			      "give 1 to 999");
	return 0;
}

static int repeat(struct reader *r, size_t first)
{
	size_t end = r->q->length;
	unsigned int number;
	int error = read_number(r, &number);

	for (unsigned int i = 1; !error && i < number; i++)
		for (size_t j = first; !error && j < end; j++)
			error = add(r, r->q->accesses[j]);
	return error;
}

static int read_one(struct reader *r)
{
	if (isalnum((unsigned char)*r->at))
		return read_name(r);
	if (*r->at == '@')
		return read_fill(r);
	if (*r->at == '_')
		return read_each(r);
	return refuse(r, r->at, "nothing of the language",
		      "use names, ?, !, @, _ and parentheses");
}

/* Parentheses do not nest, so the length is bounded. */
static int read_all(struct reader *r)
{
	const char *open = NULL;
	size_t first = 0;
	int error = 0;

	while (!error) {
		while (*r->at == ' ' || *r->at == '\t')
			r->at++;
		if (!*r->at)
			break;
		if (*r->at == '(' && !open) {
			open = r->at++;
			first = r->q->length;
		} else if (*r->at == ')' && open) {
			open = NULL;
			r->at++;
			error = repeat(r, first);
		} else {
			error = read_one(r);
		}
	}
	if (!error && open)
		error = refuse(r, open, "nothing closes it", "add )");
	if (!error && !r->q->length)
		error = refuse(r, r->at, "empty", "give lines like A B A?");
	return error;
}

int query_parse(struct query *q, const char *text, unsigned int ways,
		struct failure *f)
{
	struct reader r = { .text = text,
			    .at = text,
			    .q = q,
			    .ways = ways,
			    .filled = NO_LINE,
			    .f = f };
	int error;

	*q = (struct query){ .length = 0 };
	q->accesses = calloc(QUERY_ACCESSES, sizeof(*q->accesses));
	if (!q->accesses)
		return fail_memory(f, "query");
	error = read_all(&r);
	if (error)
		query_free(q);
	return error;
}

void query_free(struct query *q)
{
	free(q->accesses);
	q->accesses = NULL;
	q->length = 0;
}
