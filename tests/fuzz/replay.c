// SPDX-License-Identifier: GPL-2.0
/* replay.c - runs kept inputs where there is no libFuzzer. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MOST (1 << 20)

int main(int argc, char **argv)
{
	uint8_t *data = malloc(MOST);
	int done = 0;

	for (int i = 1; data && i < argc; i++) {
		FILE *in = fopen(argv[i], "rb");
		size_t size;

		if (!in) {
			perror(argv[i]);
			break;
		}
		size = fread(data, 1, MOST, in);
		fclose(in);
		/* If an input aborts, its name is the last one printed. */
		fprintf(stderr, "Running: %s\n", argv[i]);
		LLVMFuzzerTestOneInput(data, size);
		done++;
	}
	free(data);
	fprintf(stderr, "%d of %d inputs replayed\n", done, argc - 1);
	return done == argc - 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
