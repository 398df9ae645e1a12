// SPDX-License-Identifier: GPL-2.0
#include "model/profile/value.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer keys are cut in messages. */
#define SHOWN 48

struct value value_member(const struct value *object, const char *key)
{
	return (struct value){ .json = json_object_get(object->json, key),
			       .up = object,
			       .key = key,
			       .file = object->file,
			       .f = object->f };
}

struct value value_element(const struct value *array, size_t index)
{
	return (struct value){ .json = json_array_get(array->json, index),
			       .up = array,
			       .index = index,
			       .file = array->file,
			       .f = array->f };
}

static void append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + used, size - used, format, args);
	va_end(args);
}

/* A message is one line, whatever the file has for a key. */
static void append_key(char *text, size_t size, const char *key)
{
	char shown[SHOWN + 1];
	size_t length = 0;

	for (; length < SHOWN && key[length]; length++)
		shown[length] =
			isprint((unsigned char)key[length]) ? key[length] : '?';
	shown[length] = '\0';
	append(text, size, "%s%s", shown, key[length] ? "..." : "");
}

static void append_path(char *text, size_t size, const struct value *v)
{
	if (v->up)
		append_path(text, size, v->up);
	if (v->up && !v->key)
		append(text, size, "[%zu]", v->index);
	if (v->key && v->up && v->up->up)
		append(text, size, ".");
	if (v->key)
		append_key(text, size, v->key);
}

int value_refuse(const struct value *v, const char *format, ...)
{
	char path[200] = "", reason[200];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	append_path(path, sizeof(path), v);
	return fail(v->f, STATUS_USAGE, EINVAL, "profile %.80s: %s%s%s",
		    v->file, path, path[0] ? ": " : "", reason);
}

static const char *type_name(const json_t *json)
{
	switch (json_typeof(json)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "a whole number";
	case JSON_REAL:
		return "a fraction";
	case JSON_NULL:
		return "null";
	default:
		return "true or false";
	}
}

static int wrong_type(const struct value *v, const char *wanted)
{
	return value_refuse(v, "is %s (give %s)", type_name(v->json), wanted);
}

int value_required(const struct value *v)
{
	return v->json ? 0 : value_refuse(v, "is missing (add it)");
}

int value_object(const struct value *v, const char *const *keys)
{
	const char *key;
	json_t *json;

	if (!v->json)
		return 0;
	if (!json_is_object(v->json))
		return wrong_type(v, "an object");
	json_object_foreach(v->json, key, json)
	{
		struct value unknown = value_member(v, key);
		const char *const *known = keys;

		while (*known && strcmp(*known, key))
			known++;
		if (!*known)
			return value_refuse(
				&unknown,
				"unknown key (see the profile format)");
	}
	return 0;
}

int value_array(const struct value *v, size_t least, size_t most, size_t *count)
{
	*count = 0;
	if (!v->json)
		return 0;
	if (!json_is_array(v->json))
		return wrong_type(v, "an array");
	*count = json_array_size(v->json);
	if (*count < least || *count > most)
		return value_refuse(v, "%zu entries (give %zu to %zu)", *count,
				    least, most);
	return 0;
}

int value_integer(const struct value *v, uint64_t least, uint64_t most,
		  uint64_t *result)
{
	json_int_t number;

	if (!v->json)
		return 0;
	if (!json_is_integer(v->json))
		return wrong_type(v, "a whole number");
	number = json_integer_value(v->json);
	if (number < 0 || (uint64_t)number < least || (uint64_t)number > most)
		return value_refuse(v,
				    "%" JSON_INTEGER_FORMAT
				    " is out of range (give %" PRIu64
				    " to %" PRIu64 ")",
				    number, least, most);
	*result = (uint64_t)number;
	return 0;
}

int value_count(const struct value *v, unsigned int least, unsigned int most,
		unsigned int *result)
{
	uint64_t number = *result;
	int error = value_integer(v, least, most, &number);

	*result = (unsigned int)number;
	return error;
}

int value_number(const struct value *v, double least, double most,
		 double *result)
{
	double number;

	if (!v->json)
		return 0;
	if (!json_is_number(v->json))
		return wrong_type(v, "a number");
	number = json_number_value(v->json);
	/* Not a number is in no range either. */
	if (!(number >= least && number <= most))
		return value_refuse(v, "%g is out of range (give %g to %g)",
				    number, least, most);
	*result = number;
	return 0;
}

int value_bool(const struct value *v, bool *result)
{
	if (!v->json)
		return 0;
	if (!json_is_boolean(v->json))
		return wrong_type(v, "true or false");
	*result = json_is_true(v->json);
	return 0;
}

int value_text(const struct value *v, char *text, size_t size)
{
	const char *given;

	if (!v->json)
		return 0;
	if (!json_is_string(v->json))
		return wrong_type(v, "a string");
	given = json_string_value(v->json);
	if (strlen(given) >= size)
		return value_refuse(v, "%zu bytes long (give at most %zu)",
				    strlen(given), size - 1);
	for (const char *p = given; *p; p++)
		if (iscntrl((unsigned char)*p))
			return value_refuse(
				v,
				"holds a control character (give one line of text)");
	strcpy(text, given);
	return 0;
}

int value_choice(const struct value *v, const char *const *words,
		 unsigned int *result)
{
	char all[160] = "", shown[SHOWN + 4] = "";
	const char *given;

	if (!v->json)
		return 0;
	if (!json_is_string(v->json))
		return wrong_type(v, "a string");
	given = json_string_value(v->json);
	for (unsigned int i = 0; words[i]; i++) {
		if (!strcmp(words[i], given)) {
			*result = i;
			return 0;
		}
		append(all, sizeof(all), "%s%s", i ? ", " : "", words[i]);
	}
	append_key(shown, sizeof(shown), given);
	return value_refuse(v, "'%s' is none (use one of %s)", shown, all);
}

int value_mask(const struct value *v, uint64_t *result)
{
	char shown[SHOWN + 4] = "";
	const char *given;
	char *end;

	if (!v->json || json_is_integer(v->json))
		return value_integer(v, 0, INT64_MAX, result);
	if (!json_is_string(v->json))
		return wrong_type(v, "\"0x...\"");
	given = json_string_value(v->json);
	append_key(shown, sizeof(shown), given);
	if (strncmp(given, "0x", 2) || !isxdigit((unsigned char)given[2]))
		return value_refuse(v, "'%s' is no mask (give \"0x...\")",
				    shown);
	errno = 0;
	*result = strtoull(given, &end, 16);
	if (*end)
		return value_refuse(v, "'%s' is no mask (give \"0x...\")",
				    shown);
	if (errno)
		return value_refuse(
			v, "'%s' is out of range (give 64 bits or less)",
			shown);
	return 0;
}
