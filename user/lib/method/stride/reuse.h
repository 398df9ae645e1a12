/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reuse.h - levels that let lines in, or keep them, only once they are used
 * again (LIP): walked in circles they are not seen, or seem to have fewer ways.
 */
#ifndef PROBE_PHYS_METHOD_STRIDE_REUSE_H
#define PROBE_PHYS_METHOD_STRIDE_REUSE_H

#include "method/level/level.h"

/** XRAY_USED_AGAIN - why a level is open that new lines hardly get into */
#define XRAY_USED_AGAIN \
	"a level lets new lines in only when they are used again: "

/**
 * xray_check_reuse() - a level may have more ways than show
 *
 * Its A + 1 lines are used twice, each time past the levels above; sets of few
 * ways are emptied first. By a quarter of the samples all of them are there then:
 * never in a level of A ways. Below a hashed level nothing is asked.
 * @g: found; found no more where they are
 * @line: its size in bytes, as far as known
 * Return: as xray_find_geometry().
 */
int xray_check_reuse(struct xray *x, struct xray_geometry *g,
		     const struct parameter *line, struct failure *f);

/**
 * xray_is_hiding() - is there a level that the control is not let into?
 *
 * Lines that miss above and would be at home here if only they were used twice:
 * what looks like this level is the one below.
 */
int xray_is_hiding(struct xray *x, bool *hiding, struct failure *f);

#endif
