/* SPDX-License-Identifier: GPL-2.0 */
/*
 * capability.h - what this computer offers, and how to get what it lacks.
 *
 * Each line was read or tried at the moment of the call. Knows no method and
 * prints nothing. Called by the commands "info" and "counters". Functions add
 * lines to a list; an error is a line, too.
 */
#ifndef PROBE_PHYS_INFO_CAPABILITY_H
#define PROBE_PHYS_INFO_CAPABILITY_H

#include <stddef.h>
#include <stdint.h>

/** enum capability_state - whether a capability is there */
enum capability_state {
	CAPABILITY_NO,
	CAPABILITY_YES,
	CAPABILITY_UNKNOWN,
};

/** struct capability_fact - a number that was read; the name has the unit */
struct capability_fact {
	const char *name;
	uint64_t value;
};

#define CAPABILITY_MAX_FACTS 10

/**
 * struct capability - one line of "info"
 * @name: the thing
 * @state: whether it is there
 * @detail: what was found, or why not
 * @remedy: what to do, empty when there is nothing
 * @facts: numbers, @fact_count of them
 */
struct capability {
	const char *name;
	enum capability_state state;
	char detail[320];
	char remedy[200];
	struct capability_fact facts[CAPABILITY_MAX_FACTS];
	size_t fact_count;
};

#define CAPABILITY_MAX 32

/** struct capability_list - all lines; @count of them */
struct capability_list {
	struct capability items[CAPABILITY_MAX];
	size_t count;
};

/**
 * capability_add() - begin a line
 * @name: literal
 * Return: never NULL; when the list is full the last line is used again.
 */
struct capability *capability_add(struct capability_list *list,
				  const char *name,
				  enum capability_state state);

/** capability_detail() - append to the detail, printf-like */
void capability_detail(struct capability *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** capability_remedy() - set the remedy, printf-like */
void capability_remedy(struct capability *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** capability_fact() - add a number */
void capability_fact(struct capability *c, const char *name, uint64_t value);

/** capability_module() - module, its netlink family, prefetcher switch */
void capability_module(struct capability_list *list, int cpu);

/** capability_memory() - huge pages, physical addresses */
void capability_memory(struct capability_list *list);

/** capability_counters() - perf */
void capability_counters(struct capability_list *list);

/** capability_processor() - CPUs, timers, virtual machine */
void capability_processor(struct capability_list *list, int cpu);

/** capability_privileges() - capabilities(7), lockdown */
void capability_privileges(struct capability_list *list);

/** capability_pictures() - libraries for the pictures of "compare" */
void capability_pictures(struct capability_list *list);

#endif
