/* SPDX-License-Identifier: GPL-2.0 */
/* json_value.h - one parameter as JSON. Internal to report/. */
#ifndef PROBE_PHYS_REPORT_JSON_VALUE_H
#define PROBE_PHYS_REPORT_JSON_VALUE_H

#include <jansson.h>

#include "result/result.h"

/**
 * json_set() - set a member of an object; the reference @value is always taken
 */
void json_set(json_t *object, const char *name, json_t *value);

/** json_number() - a whole number as an integer, others as a real */
json_t *json_number(double value);

/**
 * json_parameter() - a parameter as an object
 *
 * Members are value (null unless measured), status, and, if known, error_bound,
 * method, by and reason.
 */
json_t *json_parameter(const struct parameter *p);

/**
 * json_index() - json_parameter() of an index decision; the value is the kind
 */
json_t *json_index(const struct parameter *decision, enum index_kind kind);

#endif
