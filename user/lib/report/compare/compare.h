/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compare.h - compare the results of several methods on one machine, parameter
 * by parameter, and judge which are right.
 */
#ifndef PROBE_PHYS_REPORT_COMPARE_COMPARE_H
#define PROBE_PHYS_REPORT_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "report/compare/truth.h"
#include "report/report.h"
#include "result/side_result.h"

/** enum compare_method - methods, in the order in which they run */
enum compare_method {
	COMPARE_XRAY,
	COMPARE_AMP,
	COMPARE_COOPER,
	COMPARE_BREAKING,
	COMPARE_SAAVEDRA,
	COMPARE_METHODS,
};

/** compare_method_name() - "x-ray", "amp", "cooper-sandoval", ... */
const char *compare_method_name(enum compare_method method);

/** enum compare_parameter - of a level, or of all */
enum compare_parameter {
	COMPARE_LEVELS, /* number of levels of cache */
	COMPARE_CAPACITY,
	COMPARE_EFFECTIVE, /* capacity that a program can use */
	COMPARE_WAYS,
	COMPARE_LINE,
	COMPARE_LATENCY, /* of a cache or memory: of the whole load */
	COMPARE_ENTRIES, /* of a TLB: its entries, or its reach in pages */
};

/** compare_parameter_name() - as in the JSON document: "levels",
 * "capacity_bytes", ...
 */
const char *compare_parameter_name(enum compare_parameter parameter);

/** enum compare_verdict - how a method's value relates to the truth */
enum compare_verdict {
	COMPARE_NOT_TOLD,  /* the method has no such value, or did not run */
	COMPARE_MISSED,	   /* the method lists fewer levels than there are */
	COMPARE_UNDECIDED, /* the method reports it as undecided */
	COMPARE_RIGHT,	   /* equal to the simulated machine's value */
	COMPARE_WRONG,
	COMPARE_AGREES,	 /* with the documented value, or with the consensus */
	COMPARE_DIFFERS, /* from these; without both, from another method's */
	COMPARE_ALONE,	 /* there is nothing to compare with */
	COMPARE_VERDICTS,
};

/**
 * compare_verdict_name() - as in the JSON document: "not-told", "missed", ...
 */
const char *compare_verdict_name(enum compare_verdict verdict);

/** enum compare_where - the part of the machine that has the parameter */
enum compare_where {
	COMPARE_HIERARCHY,
	COMPARE_CACHE,
	COMPARE_MEMORY,
	COMPARE_TLB,
};

/**
 * struct compare_cell - one method's value of one parameter
 * @p: value or reason
 * @verdict: how the value relates to the truth
 */
struct compare_cell {
	struct parameter p;
	enum compare_verdict verdict;
};

/**
 * struct compare_row - one parameter by all methods
 * @where: part of the machine
 * @level: from 1; 0: the hierarchy, or memory
 * @page_bytes: page size, of TLBs
 * @parameter: the parameter
 * @truth: true value, NAN: not known
 * @absent: the machine is known to have no such level
 * @consensus: the value on which @agreeing of @voices voices agree; NAN: none
 * @cells: by method
 */
struct compare_row {
	enum compare_where where;
	int level;
	uint64_t page_bytes;
	enum compare_parameter parameter;
	double truth;
	bool absent;
	double consensus;
	unsigned int agreeing;
	unsigned int voices;
	struct compare_cell cells[COMPARE_METHODS];
};

/**
 * struct compare_run - how a method went
 * @selected: the user selected it
 * @complete: it ran to its end
 * @reason: why it did not; else empty
 * @accesses: number of loads, stores and jumps, warming included
 * @seconds: wall-clock time, simulation included
 */
struct compare_run {
	bool selected;
	bool complete;
	char reason[512];
	double accesses;
	double seconds;
};

/** COMPARE_SIDES - methods that have a struct side_result */
#define COMPARE_SIDES (COMPARE_METHODS - COMPARE_COOPER)

/**
 * struct compare_said - results of all methods; NULL: the method did not run
 * @sides: results of Cooper-Sandoval and the methods after it
 * @runs: how each method went
 */
struct compare_said {
	const struct hierarchy *xray;
	const struct amp_result *amp;
	const struct side_result *sides[COMPARE_SIDES];
	struct compare_run runs[COMPARE_METHODS];
};

/** COMPARE_ROWS - most parameters of one machine */
#define COMPARE_ROWS 160

/**
 * struct comparison - the table
 * @said: the results that are compared
 * @truth: what they are compared with
 * @rows: in the order in which they are printed; @row_count of them
 * @counts: number of verdicts of each kind, by method
 */
struct comparison {
	const struct compare_said *said;
	const struct truth *truth;
	struct compare_row rows[COMPARE_ROWS];
	size_t row_count;
	unsigned int counts[COMPARE_METHODS][COMPARE_VERDICTS];
};

/**
 * compare_make() - judge all results; @said and @truth must live as long as @c
 */
void compare_make(struct comparison *c, const struct compare_said *said,
		  const struct truth *truth);

/**
 * compare_value() - a method's value of @row's parameter, in its unit
 * @missed: (out) the method lists levels of the kind, but not this one
 */
struct parameter compare_value(const struct compare_said *said,
			       enum compare_method method,
			       const struct compare_row *row, bool *missed);

/** compare_caches() - most levels of cache that any method lists */
size_t compare_caches(const struct compare_said *said);

/** struct compare_place - an array of translations, of pages of one size */
struct compare_place {
	uint64_t page_bytes;
	int level;
};

/** COMPARE_PLACES - most places */
#define COMPARE_PLACES 32

/** compare_tlbs() - arrays that any method lists, by page size and level, each
 * once
 * Return: their number.
 */
size_t compare_tlbs(const struct compare_said *said,
		    struct compare_place places[COMPARE_PLACES]);

/**
 * struct compare_report - input of the report
 * @c: the comparison
 * @r: machine and conditions; its results are not used
 */
struct compare_report {
	const struct comparison *c;
	const struct report *r;
};

/** compare_table() - print a table */
void compare_table(const struct compare_report *r, FILE *out);

/**
 * compare_json() - a new reference to the document; fields as in the man page
 */
json_t *compare_json(const struct compare_report *r);

#endif
