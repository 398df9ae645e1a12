// SPDX-License-Identifier: GPL-2.0
#include "machine/native/load/load_threads.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/rng.h"
#include "machine/host/cpu.h"

/* Loads between two looks at whether to end. */
#define STRETCH 1024

struct line {
	struct line *next;
	uint64_t stored;
	char rest[LOAD_LINE_BYTES - sizeof(struct line *) - sizeof(uint64_t)];
};

struct threads;

/**
 * struct worker - one of the threads
 * @of: all of them
 * @thread: it
 * @cpu: where it runs
 * @number: of it
 * @error: why it has not begun, errno; 0: it has
 * @loads: done so far
 */
struct worker {
	struct threads *of;
	pthread_t thread;
	int cpu;
	size_t number;
	int error;
	atomic_uint_fast64_t loads;
};

/**
 * struct threads - a load
 * @load: what the caller sees; its CPUs are those whose threads run
 * @lines: of each
 * @stores: they store as well
 * @begun: posted by each when it has begun, or cannot
 * @stop: they are to end
 * @workers: load.cpu_count of them
 */
struct threads {
	struct load load;
	size_t lines;
	bool stores;
	sem_t begun;
	atomic_bool stop;
	struct worker workers[];
};

static struct line *map_lines(size_t bytes)
{
	struct line *lines = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (lines == MAP_FAILED)
		return NULL;
	/* Without huge pages it would wait for translations, too. */
	madvise(lines, bytes, MADV_HUGEPAGE);
	return lines;
}

/* One ring of all lines, in random order, made where it lies (Sattolo). */
static void link_ring(const struct threads *of, struct line *lines,
		      struct rng *rng)
{
	for (size_t i = 0; i < of->lines; i++)
		lines[i].next = &lines[i];
	for (size_t i = of->lines - 1; i > 0 && !atomic_load(&of->stop); i--) {
		size_t other = rng_below(rng, i);
		struct line *kept = lines[i].next;

		lines[i].next = lines[other].next;
		lines[other].next = kept;
	}
}

static struct line *walk_stretch(struct line *at, bool stores)
{
	for (int i = 0; i < STRETCH; i++) {
		struct line *next = *(struct line *volatile *)&at->next;

		if (stores)
			*(volatile uint64_t *)&at->stored = (uint64_t)i;
		at = next;
	}
	return at;
}

static void walk_until_stopped(struct worker *w, struct line *at)
{
	struct threads *of = w->of;
	bool begun = false;

	while (!atomic_load_explicit(&of->stop, memory_order_relaxed)) {
		uint64_t done;

		at = walk_stretch(at, of->stores);
		done = atomic_fetch_add_explicit(&w->loads, STRETCH,
						 memory_order_relaxed);
		if (!begun && done + STRETCH >= of->lines) {
			begun = true;
			sem_post(&of->begun);
		}
	}
	if (!begun)
		sem_post(&of->begun);
}

static void *work(void *context)
{
	struct worker *w = context;
	size_t bytes = w->of->lines * sizeof(struct line);
	struct rng rng = { w->number + 1 };
	struct line *lines = map_lines(bytes);

	if (!lines) {
		w->error = ENOMEM;
		sem_post(&w->of->begun);
		return NULL;
	}
	link_ring(w->of, lines, &rng);
	walk_until_stopped(w, lines);
	munmap(lines, bytes);
	return NULL;
}

/* Return: errno of the first that cannot be created; @t->load.cpu_count is its
 * number.
 */
static int create_all(struct threads *t, const struct load_request *request)
{
	size_t *count = &t->load.cpu_count;
	int error = 0;

	while (!error && *count < request->cpu_count) {
		struct worker *w = &t->workers[*count];

		w->of = t;
		w->cpu = request->cpus[*count];
		w->number = *count;
		error = cpu_start_thread(&w->thread, w->cpu, work, w);
		*count += !error;
	}
	return error;
}

static void wait_for_all(struct threads *t)
{
	for (size_t i = 0; i < t->load.cpu_count; i++)
		while (sem_wait(&t->begun) < 0 && errno == EINTR)
			;
}

static int fail_to_create(const struct load_request *request, size_t number,
			  int error, struct failure *f)
{
	int cpu = request->cpus[number];

	if (error == EINVAL)
		return fail(
			f, STATUS_FAILED, EINVAL,
			"load: CPU %d: offline or not allowed for this process (choose another)",
			cpu);
	return fail(f, STATUS_FAILED, error, "load: CPU %d: thread: %s", cpu,
		    strerror(error));
}

static int begin_all(struct threads *t, const struct load_request *request,
		     struct failure *f)
{
	int error = create_all(t, request);

	if (error)
		return fail_to_create(request, t->load.cpu_count, error, f);
	wait_for_all(t);
	for (size_t i = 0; i < t->load.cpu_count; i++)
		if (t->workers[i].error)
			return fail(
				f, STATUS_FAILED, t->workers[i].error,
				"load: CPU %d: %llu bytes: %s (ask for less)",
				t->workers[i].cpu,
				(unsigned long long)request->bytes,
				strerror(t->workers[i].error));
	return 0;
}

int load_threads_start(struct machine *m, const struct load_request *request,
		       struct load **load, struct failure *f)
{
	struct threads *t = calloc(1, sizeof(*t) + request->cpu_count *
							   sizeof(*t->workers));
	int error;

	if (!t)
		return fail_memory(f, "load");
	t->load.m = m;
	t->lines = request->bytes / sizeof(struct line);
	t->stores = request->stores;
	sem_init(&t->begun, 0, 0);
	error = begin_all(t, request, f);
	if (error)
		load_threads_stop(&t->load);
	else
		*load = &t->load;
	return error;
}

uint64_t load_threads_loads(const struct load *load, size_t i)
{
	const struct threads *t = (const struct threads *)load;

	return atomic_load_explicit(&t->workers[i].loads, memory_order_relaxed);
}

void load_threads_stop(struct load *load)
{
	struct threads *t = (struct threads *)load;

	atomic_store(&t->stop, true);
	for (size_t i = 0; i < t->load.cpu_count; i++)
		pthread_join(t->workers[i].thread, NULL);
	sem_destroy(&t->begun);
	free(t);
}
