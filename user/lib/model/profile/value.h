/* SPDX-License-Identifier: GPL-2.0 */
/*
 * value.h - strict reading of JSON values that know their place, so that every
 * refusal names its key: "caches[2].index.masks[0]".
 *
 * Readers return 0, or -EINVAL with the failure set (STATUS_USAGE). A missing
 * value leaves the default that the caller has put into the result.
 */
#ifndef PROBE_PHYS_MODEL_PROFILE_VALUE_H
#define PROBE_PHYS_MODEL_PROFILE_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct value - a JSON value and its place
 * @json: the value, NULL when the key is missing (borrowed)
 * @up: object or array that holds it, NULL for the document; must outlive it
 * @key: its key there, NULL for an element of an array
 * @index: its number in that array
 * @file: name of the document, for messages
 * @f: where failures go
 */
struct value {
	json_t *json;
	const struct value *up;
	const char *key;
	size_t index;
	const char *file;
	struct failure *f;
};

/** value_member() - the value of a key of an object */
struct value value_member(const struct value *object, const char *key);

/** value_element() - an element of an array */
struct value value_element(const struct value *array, size_t index);

/** value_refuse() - "profile FILE: PATH: " and a printf-like reason */
int value_refuse(const struct value *v, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** value_required() - refuse it when it is missing */
int value_required(const struct value *v);

/**
 * value_object() - it must be an object without other keys
 * @keys: the keys that it may have, NULL at the end
 */
int value_object(const struct value *v, const char *const *keys);

/**
 * value_array() - it must be an array of a bounded length
 * @count: (out) its length, 0 when missing
 */
int value_array(const struct value *v, size_t least, size_t most,
		size_t *count);

/** value_integer() - a whole number in [@least, @most] */
int value_integer(const struct value *v, uint64_t least, uint64_t most,
		  uint64_t *result);

/** value_count() - the same for unsigned int */
int value_count(const struct value *v, unsigned int least, unsigned int most,
		unsigned int *result);

/** value_number() - any number in [@least, @most] */
int value_number(const struct value *v, double least, double most,
		 double *result);

/** value_bool() - true or false */
int value_bool(const struct value *v, bool *result);

/** value_text() - printable text that fits into @size with its end */
int value_text(const struct value *v, char *text, size_t size);

/**
 * value_choice() - one of a few words
 * @words: NULL at the end
 * @result: (out) number of the word
 */
int value_choice(const struct value *v, const char *const *words,
		 unsigned int *result);

/** value_mask() - 64 bits: "0x..." or a whole number */
int value_mask(const struct value *v, uint64_t *result);

#endif
