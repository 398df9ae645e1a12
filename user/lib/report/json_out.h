/* SPDX-License-Identifier: GPL-2.0 */
/* json_out.h - one JSON document on standard output. */
#ifndef PROBE_PHYS_REPORT_JSON_OUT_H
#define PROBE_PHYS_REPORT_JSON_OUT_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

/**
 * json_out() - print a document and a newline, and release it
 * @document: NULL: it could not be built, which is reported as a failure
 * @flags: of jansson: JSON_INDENT(2), JSON_COMPACT, ...
 * Return: 0 or -errno with @f set; output is flushed.
 */
int json_out(json_t *document, size_t flags, struct failure *f);

/** json_address() - a physical address as "0x..." */
json_t *json_address(uint64_t address);

#endif
