/* SPDX-License-Identifier: GPL-2.0 */
/* report.h - print one measurement as a table or as a JSON document. */
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
 * struct report - input of the report
 * @machine: the measured machine and the conditions
 * @found: the results
 * @documented: what the kernel documents, for comparison; NULL: nothing, as for
 *              a simulated machine
 * @seed: of all random orders and placements
 * @seconds: wall-clock time of the measurement
 * @limit_s: time limit for the search of each level of cache; 0: none
 * @failure: the failure that ended the measurement early; results up to it are
 *           reported. NULL: none
 * @amp: results of AMP; NULL: AMP did not run
 * @amp_alone: no other method ran
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

/** report_table() - print a table */
void report_table(const struct report *r, FILE *out);

/** report_head() - print the lines on the machine that begin every table */
void report_head(const struct report *r, FILE *out);

/** json_amp() - add the results of AMP, with the votes */
json_t *json_amp(const struct report *r);

/** json_head() - a new document: schema, tool, error, machine and conditions */
json_t *json_head(const struct report *r);

/** json_documented() - add what the kernel documents, for comparison */
json_t *json_documented(const struct documented *d);

/** report_json() - a new reference to the document, or NULL when out of
 * memory; fields as in the README and the man page
 */
json_t *report_json(const struct report *r);

/** json_index_function() - add the known part of the function to a parameter
 *
 * Members are bits_known {low, high}, masks (hexadecimal, lowest weight), rank,
 * linear_over_gf2, and, if known, modulus_bytes, slice_sequence, prediction and
 * limit. If nothing is known, only masks_reason, and prediction if there was
 * one.
 */
void json_index_function(json_t *index, const struct index_function *function);

/** table_index_masks() - print the masks in lines below a level */
void table_index_masks(const struct index_function *function, FILE *out);

/** table_index_function() - the same with predictions and limits */
void table_index_function(const struct index_function *function, FILE *out);

#endif
