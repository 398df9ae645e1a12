/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compare.h - what several methods say of one machine, parameter by parameter,
 * and what of it is right.
 */
#ifndef PROBE_PHYS_REPORT_COMPARE_COMPARE_H
#define PROBE_PHYS_REPORT_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdio.h>

#include "report/compare/truth.h"
#include "report/report.h"
#include "result/side_result.h"

/** enum compare_method - in the order in which they are asked */
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
	COMPARE_LEVELS, /* how many levels of cache */
	COMPARE_CAPACITY,
	COMPARE_EFFECTIVE, /* what a program can use of it */
	COMPARE_WAYS,
	COMPARE_LINE,
	COMPARE_LATENCY, /* of a cache and of memory: of the whole load */
	COMPARE_ENTRIES, /* of a TLB, or its reach in pages */
};

/** compare_parameter_name() - as in the document: "levels", "capacity_bytes",
 * ...
 */
const char *compare_parameter_name(enum compare_parameter parameter);

/** enum compare_verdict - what is to be said of a value */
enum compare_verdict {
	COMPARE_NOT_TOLD,  /* the method does not tell, or was not asked */
	COMPARE_MISSED,	   /* it lists fewer levels than there are */
	COMPARE_UNDECIDED, /* it says so itself */
	COMPARE_RIGHT,	   /* that is what the simulated machine has */
	COMPARE_WRONG,
	COMPARE_AGREES, /* with what is documented, or with the consensus */
	COMPARE_DIFFERS,
	COMPARE_ALONE, /* nothing to compare with */
	COMPARE_VERDICTS,
};

/** compare_verdict_name() - "not-told", "missed", ... */
const char *compare_verdict_name(enum compare_verdict verdict);

/** enum compare_where - what a parameter is of */
enum compare_where {
	COMPARE_HIERARCHY,
	COMPARE_CACHE,
	COMPARE_MEMORY,
	COMPARE_TLB,
};

/**
 * struct compare_cell - what one method says of one parameter
 * @p: value or reason
 * @verdict: how that stands to the truth
 */
struct compare_cell {
	struct parameter p;
	enum compare_verdict verdict;
};

/**
 * struct compare_row - one parameter by all methods
 * @where: what it is of
 * @level: from 1; 0: of the hierarchy, or of memory
 * @page_bytes: of TLBs
 * @parameter: which
 * @truth: value, NAN: not known
 * @absent: it is known that there is no such level
 * @consensus: the value that @agreeing voices of @voices state; NAN: none
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
 * @selected: it was
 * @complete: and it came to its end
 * @reason: in words, why it did not; else empty
 * @accesses: loads, stores and jumps, warming included
 * @seconds: of this computer, simulation included
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
 * struct compare_said - what all methods said; NULL: was not asked
 * @sides: of Cooper-Sandoval and those after it
 * @runs: by method
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
 * @said: what it is of
 * @truth: what it is held against
 * @rows: as they are to be printed; @row_count of them
 * @counts: of each verdict, by method
 */
struct comparison {
	const struct compare_said *said;
	const struct truth *truth;
	struct compare_row rows[COMPARE_ROWS];
	size_t row_count;
	unsigned int counts[COMPARE_METHODS][COMPARE_VERDICTS];
};

/** compare_make() - judge everything that was said; @said and @truth must live as
 * long as @c
 */
void compare_make(struct comparison *c, const struct compare_said *said,
		  const struct truth *truth);

/**
 * compare_value() - what a method says of @row's parameter, in its unit
 * @missed: (out) it lists levels of the kind, but not this one
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

/** COMPARE_PLACES - most of them */
#define COMPARE_PLACES 32

/** compare_tlbs() - those that any method lists, by page size and level, each
 * once
 * Return: how many.
 */
size_t compare_tlbs(const struct compare_said *said,
		    struct compare_place places[COMPARE_PLACES]);

/**
 * struct compare_report - what is said of it all
 * @c: the comparison
 * @r: where and how it was measured; its other results are left out
 */
struct compare_report {
	const struct comparison *c;
	const struct report *r;
};

/** compare_table() - for people */
void compare_table(const struct compare_report *r, FILE *out);

/** compare_json() - a new reference to the document; fields as in the man page */
json_t *compare_json(const struct compare_report *r);

#endif
