/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuned.h - constants that trade time or memory, and change no answer.
 *
 * Each folder of methods lists its own in its tuning.h. A build with TUNED=half or
 * TUNED=double (user.mk) halves or doubles all of them, and tests/sim/tuning.sh
 * compares the answers. A number that changes an answer is a threshold: it is
 * written without these macros, and says what it decides.
 *
 * Only .c files include a tuning.h, as user.mk compiles these alone anew: no type
 * of a header may have a size that depends on one.
 */
#ifndef PROBE_PHYS_BASE_TUNED_H
#define PROBE_PHYS_BASE_TUNED_H

/**
 * TUNED_FROM() - an integer that may be scaled
 * @least: no less than this, when halved
 * @n: the number, a constant expression
 */
/** TUNED_REAL() - a share or a factor that may be scaled */
#if defined(TUNED_HALF)
#define TUNED_FROM(least, n) ((n) / 2 > (least) ? (n) / 2 : (least))
#define TUNED_REAL(x) ((x) / 2.0)
#elif defined(TUNED_DOUBLE)
#define TUNED_FROM(least, n) ((n)*2)
#define TUNED_REAL(x) ((x)*2.0)
#else
#define TUNED_FROM(least, n) (n)
#define TUNED_REAL(x) (x)
#endif
/** TUNED() - an integer of one or more that may be scaled */
#define TUNED(n) TUNED_FROM(1, n)

#endif
