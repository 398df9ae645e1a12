// SPDX-License-Identifier: GPL-2.0
/*
 * fuzz_curve.c - any bytes as a curve of latency: undecided with a reason, or
 * levels that the curve has.
 *
 * An input that begins with an even byte is a list of points behind it, any
 * bits; else its second byte is how many points an octave has, and two bytes
 * each are a latency in 64ths of a cycle.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "method/curve/curve.h"

static struct curve_point points[CURVE_MOST_POINTS + 1];
static struct curve_result r;

static size_t read_points(const uint8_t *data, size_t size)
{
	size_t count = size / sizeof(*points);

	if (count > CURVE_MOST_POINTS + 1)
		count = CURVE_MOST_POINTS + 1;
	memcpy(points, data, count * sizeof(*points));
	return count;
}

static size_t read_sweep(const uint8_t *data, size_t size)
{
	double octave = 1 + (size ? data[0] % 16 : 0);
	size_t count = size / 2;

	/* Longer ones are slow and find nothing. */
	if (count > 512)
		count = 512;
	for (size_t i = 0; i < count; i++) {
		unsigned int low = data[2 * i + 1];
		unsigned int high = 2 * i + 2 < size ? data[2 * i + 2] : 0;

		points[i].x = exp2(10 + (double)i / octave);
		points[i].y = (low + 256 * high) / 64.0;
	}
	return count;
}

static void check_undecided(void)
{
	must(r.reason[0]);
	must(!r.step_count);
	for (const char *c = r.reason; *c; c++)
		must(*c >= ' ' && *c <= '~');
}

static void check_steps(size_t count)
{
	double least = INFINITY, most = 0;
	size_t at = 0;

	must(!r.reason[0]);
	must(r.step_count && r.step_count <= CURVE_MOST_STEPS);
	for (size_t i = 0; i < count; i++) {
		must(isfinite(points[i].x) && points[i].x > 0);
		must(isfinite(points[i].y) && points[i].y > 0);
		must(!i || points[i].x > points[i - 1].x);
		least = fmin(least, points[i].y);
		most = fmax(most, points[i].y);
	}
	for (size_t m = 0; m < r.step_count; m++) {
		const struct curve_step *s = &r.steps[m];

		must(s->latency >= least * (1 - 1e-9));
		must(s->latency <= most * (1 + 1e-9));
		must(!m || s->latency > s[-1].latency);
		must(!m || s->end > s[-1].end);
		while (at < count && points[at].x < s->end)
			at++;
		must(at < count && !(points[at].x > s->end));
	}
	must(at == count - 1);
}

static void check_density(void)
{
	const struct curve_density *d = &r.density;

	must(d->bins <= CURVE_BINS);
	must(d->peak_count <= CURVE_MOST_STEPS);
	must(!r.decided || d->peak_count + r.open == r.step_count);
	for (size_t i = 0; i < d->bins; i++)
		must(d->raw[i] >= 0 && d->smooth[i] >= 0);
	for (size_t i = 0; i < d->peak_count; i++)
		must(d->peaks[i] < d->bins &&
		     (!i || d->peaks[i] > d->peaks[i - 1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t count = 0;

	if (size)
		count = data[0] % 2 ? read_sweep(data + 1, size - 1) :
				      read_points(data + 1, size - 1);
	must(!curve_analyse(points, count, &r));
	if (r.decided)
		check_steps(count);
	else
		check_undecided();
	check_density();
	return 0;
}
