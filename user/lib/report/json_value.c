// SPDX-License-Identifier: GPL-2.0
#include "report/json_value.h"

#include <math.h>

static const char *status_name(enum parameter_status status)
{
	switch (status) {
	case PARAMETER_MEASURED:
		return "measured";
	case PARAMETER_UNDECIDED:
		return "undecided";
	default:
		return "unavailable";
	}
}

void json_set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

/* Counts and bytes are integers, times are not. */
json_t *json_number(double value)
{
	if (value == floor(value) && fabs(value) < 1e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

json_t *json_parameter(const struct parameter *p)
{
	bool measured = p->status == PARAMETER_MEASURED;
	json_t *o = json_object();

	json_set(o, "value", measured ? json_number(p->value) : json_null());
	json_set(o, "status", json_string(status_name(p->status)));
	if (measured && p->error_bound > 0)
		json_set(o, "error_bound", json_real(p->error_bound));
	if (p->method)
		json_set(o, "method", json_string(p->method));
	if (p->by)
		json_set(o, "by", json_string(p->by));
	if (p->reason[0])
		json_set(o, "reason", json_string(p->reason));
	return o;
}

json_t *json_index(const struct parameter *decision, enum index_kind kind)
{
	json_t *o = json_parameter(decision);

	if (decision->status == PARAMETER_MEASURED)
		json_set(o, "value", json_string(index_kind_name(kind)));
	return o;
}
