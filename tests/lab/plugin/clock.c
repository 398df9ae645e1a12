// SPDX-License-Identifier: GPL-2.0
#include "clock.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)

/*
 * The clock shows @at + @advanced while it is frozen, otherwise the host's
 * clock + @offset + @advanced.
 */
static struct {
	pthread_mutex_t lock;
	bool frozen;
	int64_t at;
	int64_t offset;
	uint64_t advanced;
} clock_state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int host_time(clockid_t id, struct timespec *now)
{
	return (int)syscall(SYS_clock_gettime, id, now);
}

static int64_t host_ns(void)
{
	struct timespec now;

	host_time(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

void lab_clock_freeze(void)
{
	pthread_mutex_lock(&clock_state.lock);
	if (!clock_state.frozen)
		clock_state.at = host_ns() + clock_state.offset;
	clock_state.frozen = true;
	pthread_mutex_unlock(&clock_state.lock);
}

void lab_clock_thaw(void)
{
	pthread_mutex_lock(&clock_state.lock);
	if (clock_state.frozen)
		clock_state.offset = clock_state.at - host_ns();
	clock_state.frozen = false;
	pthread_mutex_unlock(&clock_state.lock);
}

void lab_clock_advance(uint64_t ns)
{
	__atomic_store_n(&clock_state.advanced, clock_state.advanced + ns,
			 __ATOMIC_RELAXED);
}

/* In the place of the C library's. */
int clock_gettime(clockid_t id, struct timespec *now)
{
	int64_t ns;

	if (id != CLOCK_MONOTONIC)
		return host_time(id, now);
	pthread_mutex_lock(&clock_state.lock);
	ns = clock_state.frozen ? clock_state.at :
				  host_ns() + clock_state.offset;
	ns += (int64_t)__atomic_load_n(&clock_state.advanced, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&clock_state.lock);
	now->tv_sec = ns / NS_PER_S;
	now->tv_nsec = ns % NS_PER_S;
	return 0;
}
