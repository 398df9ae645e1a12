/* SPDX-License-Identifier: GPL-2.0 */
/* names.h - words for the numbers of <linux/probe_phys.h>. */
#ifndef PROBE_PHYS_MACHINE_MODULE_NAMES_H
#define PROBE_PHYS_MACHINE_MODULE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/** module_rung_name() - "contiguous range", ...; "unknown rung" otherwise */
const char *module_rung_name(uint32_t rung);

/** module_event_name() - "buffer-created", ...; "unknown" otherwise */
const char *module_event_name(uint32_t kind);

/**
 * module_feature_name() - word for one bit of the features
 * @bit: 0 to 63
 * Return: the word, NULL where the contract defines none.
 */
const char *module_feature_name(unsigned int bit);

/** module_prefetcher_name() - word for one prefetcher bit, NULL: none */
const char *module_prefetcher_name(unsigned int bit);

#endif
