/* SPDX-License-Identifier: GPL-2.0 */
/* json_value.h - one parameter as JSON. Internal to report/. */
#ifndef PROBE_PHYS_REPORT_JSON_VALUE_H
#define PROBE_PHYS_REPORT_JSON_VALUE_H

#include <jansson.h>

#include "result/result.h"

/** json_set() - a member of an object; @value is taken over, also on failure */
void json_set(json_t *object, const char *name, json_t *value);

/** json_number() - an integer where the value is one, else a real */
json_t *json_number(double value);

/**
 * json_parameter() - a parameter with how it was decided
 *
 * value (null unless measured), status, and where there are such error_bound,
 * method, by and reason.
 */
json_t *json_parameter(const struct parameter *p);

/** json_index() - json_parameter() of an index decision, its kind as the value */
json_t *json_index(const struct parameter *decision, enum index_kind kind);

#endif
