/* SPDX-License-Identifier: GPL-2.0 */
/*
 * time_limit.h - how long a search may go on: until the user stops it, or until
 * its time is over, or the accesses that it was given.
 *
 * Either ends what is under way with -EINTR. The caller that has limited a search
 * checks afterwards which of the two it was, and goes on after the latter.
 */
#ifndef PROBE_PHYS_METHOD_PROBE_TIME_LIMIT_H
#define PROBE_PHYS_METHOD_PROBE_TIME_LIMIT_H

#include "method/probe/prober.h"

/**
 * struct time_limit - what ended a measurement until now
 * @stop: of struct prober
 * @until_ns: of struct prober
 * @until_accesses: of struct prober
 */
struct time_limit {
	const volatile sig_atomic_t *stop;
	double until_ns;
	uint64_t until_accesses;
};

/** TIME_LIMIT_WHY_BYTES - of the longest text of time_limit_why() */
#define TIME_LIMIT_WHY_BYTES 80

/** time_limit_interrupted() - has the user stopped the measurement? */
bool time_limit_interrupted(const struct prober *p);

/** time_limit_over() - is the time over that a search was given, or its accesses? */
bool time_limit_over(const struct prober *p);

/** time_limit_now_ns() - the machine's clock; 0 where it has none */
double time_limit_now_ns(const struct prober *p);

/** time_limit_wait() - pause until @ms later than @since_ns, by the machine's clock */
void time_limit_wait(const struct prober *p, double since_ns, unsigned int ms);

/** time_limit_left_ns() - until the time is over; INFINITY: nothing limits it */
double time_limit_left_ns(const struct prober *p);

/**
 * time_limit_set() - give what follows so much time, but no more than is left
 * @ns: INFINITY: as much as is left
 * @before: (out) for time_limit_restore()
 */
void time_limit_set(struct prober *p, double ns, struct time_limit *before);

/** time_limit_left_accesses() - of those that a search was given; 0: nothing limits them,
 * else one at least
 */
uint64_t time_limit_left_accesses(const struct prober *p);

/**
 * time_limit_accesses() - give what follows a number of accesses, but no more than are left
 * @accesses: 0: as many as are left
 *
 * After time_limit_set(), which remembers what holds otherwise.
 */
void time_limit_accesses(struct prober *p, uint64_t accesses);

/** time_limit_lift() - what follows takes no longer than an answer may: neither a
 * stop nor the time ends it
 * @before: (out) for time_limit_restore()
 */
void time_limit_lift(struct prober *p, struct time_limit *before);

/** time_limit_restore() - as it was before */
void time_limit_restore(struct prober *p, const struct time_limit *before);

/** time_limit_ended() - time_limit_restore(), and was it this limit by which what was
 * done has failed?
 * @error: of what was done; -EINTR where any limit or the user has ended it
 */
bool time_limit_ended(struct prober *p, const struct time_limit *before,
		      int error);

/**
 * time_limit_why() - why a search has ended with -EINTR
 * @text: (out) of @size bytes; TIME_LIMIT_WHY_BYTES are enough
 */
void time_limit_why(const struct prober *p, char *text, size_t size);

#endif
