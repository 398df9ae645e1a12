// SPDX-License-Identifier: GPL-2.0
#include "machine/host/pauses.h"

#include <stdlib.h>

#include "machine/host/cpu.h"

/* A reading takes some tens of nanoseconds; an exit to a hypervisor and back takes more
 * than a thousand cycles (Intel and AMD of the last ten years).
 */
#define LEAST_NS 300.0
/* Another thread ran meanwhile: shorter time slices are in no scheduler. */
#define MOST_NS 50e3
/* At 50 ns each, 3 ms: as long as a hundred pauses that matter. */
#define READINGS 65536

struct pauses pauses_of(const double *readings_ns, size_t count)
{
	struct pauses found = { .per_second = 0 };
	double taken = 0, others = 0;
	size_t pauses = 0;

	for (size_t i = 1; i < count; i++) {
		double ns = readings_ns[i] - readings_ns[i - 1];

		if (ns > MOST_NS) {
			others += ns;
		} else if (ns > LEAST_NS) {
			taken += ns;
			pauses++;
		}
	}
	if (!pauses)
		return found;
	found.mean_ns = taken / (double)pauses;
	found.per_second = 1e9 * (double)pauses /
			   (readings_ns[count - 1] - readings_ns[0] - others);
	return found;
}

struct pauses pauses_measure(void)
{
	double *readings = calloc(READINGS, sizeof(*readings));
	struct pauses found = { .per_second = 0 };

	if (!readings)
		return found;
	/* Pages that are not there yet come now. */
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < READINGS; i++)
			readings[i] = cpu_clock_ns();
	found = pauses_of(readings, READINGS);
	free(readings);
	return found;
}
