/* SPDX-License-Identifier: GPL-2.0 */
/* report.h - one measurement as a table or as a JSON document. */
#ifndef PROBE_PHYS_REPORT_REPORT_H
#define PROBE_PHYS_REPORT_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "base/error.h"
#include "machine/description.h"
#include "report/documented.h"
#include "result/amp_result.h"
#include "result/result.h"

#define TOOL_NAME "probe-phys"
#define REPORT_SCHEMA 1

/**
 * struct report - everything that the report says
 * @machine: where it was measured
 * @found: what was found
 * @documented: what the kernel says, for comparison; NULL: nothing is,
 *              as of a simulated machine
 * @seed: of all random orders and placements
 * @seconds: wall-clock time of the measurement
 * @limit_s: how long each level of cache could be searched for; 0: without limit
 * @failure: what ended it before its end, and what was found until then is
 *           reported; NULL: nothing did
 * @amp: what AMP found; NULL: it was not asked
 * @amp_alone: no other method was
 */
struct report {
	struct machine_description machine;
	const struct hierarchy *found;
	const struct documented *documented;
	uint64_t seed;
	double seconds;
	double limit_s;
	const struct failure *failure;
	const struct amp_result *amp;
	bool amp_alone;
};

/** report_table() - for people */
void report_table(const struct report *r, FILE *out);

/** report_head() - the first lines of every table: the machine */
void report_head(const struct report *r, FILE *out);

/** json_amp() - what AMP found, with the votes */
json_t *json_amp(const struct report *r);

/** json_head() - a new document: schema, tool, error, machine and conditions */
json_t *json_head(const struct report *r);

/** json_documented() - what the kernel says, for comparison */
json_t *json_documented(const struct documented *d);

/** report_json() - a new reference to the document, or NULL when out of
 * memory; fields as in the README and the man page
 */
json_t *report_json(const struct report *r);

/** json_index_function() - add what is known of the function to a parameter
 *
 * bits_known {low, high}, masks (hexadecimal, lowest weight), rank,
 * linear_over_gf2, and where there are some modulus_bytes, slice_sequence,
 * prediction and limit. Where none of it is known only masks_reason, and
 * prediction if there was one.
 */
void json_index_function(json_t *index, const struct index_function *function);

/** table_index_masks() - the function alone in lines below a level */
void table_index_masks(const struct index_function *function, FILE *out);

/** table_index_function() - the same with what it predicts and what limits it */
void table_index_function(const struct index_function *function, FILE *out);

#endif
