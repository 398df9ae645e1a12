/* SPDX-License-Identifier: GPL-2.0 */
/* walk.h - how accesses take time on a simulated machine. */
#ifndef PROBE_PHYS_MACHINE_SIM_WALK_H
#define PROBE_PHYS_MACHINE_SIM_WALK_H

#include "machine/sim/state.h"

/** sim_follow() - do @loads accesses. @noticed: set when an interrupt came that
 * is noticed. Return: cycles.
 */
double sim_follow(struct sim *s, struct sim_path *path, uint64_t loads,
		  bool *noticed);

/** sim_calibrate_counters() - measure machine.counter_overhead */
void sim_calibrate_counters(struct sim *s);

/** sim_take_sample() - sample @loads accesses; sample->disturbed says whether
 * something was noticed. @counters: bits as in struct walk_plan
 */
void sim_take_sample(struct sim *s, struct sim_path *path, uint64_t loads,
		     unsigned int counters, struct sample *sample);

/** sim_access() - an access at an offset of the region */
struct model_access sim_access(const struct sim *s, uint64_t offset);

/**
 * sim_walk_steps() - s->accesses, @length of them, after plan->steps
 * Return: 0; -ERANGE, -ENOMEM with @f set.
 */
int sim_walk_steps(struct sim *s, size_t length, const struct walk_plan *plan,
		   struct sample *samples, struct failure *f);

/** sim_take_steps() - plan->steps, once. @noticed: set when an interrupt came that
 * is noticed. Return: as sim_walk_steps()
 */
int sim_take_steps(struct sim *s, const struct walk_plan *plan, bool *noticed,
		   struct failure *f);

/** sim_view_again() - the last walk of an executable view, from its
 * beginning; empty: nothing was
 */
struct sim_path sim_view_again(const struct view *view);

/** sim_room() - make room for the accesses of a sequence; 0 or -errno */
int sim_room(struct sim *s, size_t length, struct failure *f);

/** sim_walk() - do s->accesses, @length of them, as @plan says; each takes
 * @step_cycles besides
 */
void sim_walk(struct sim *s, size_t length, double step_cycles,
	      const struct walk_plan *plan, struct sample *samples);

/** sim_walk_each() - do s->accesses, which are those of @q, as @plan with its
 * each says. Return: 0; -EINVAL with @f set.
 */
int sim_walk_each(struct sim *s, const struct sequence *q,
		  const struct walk_plan *plan, struct sample *sample,
		  struct failure *f);

/** sim_reading() - a start-stop pair around @cycles, as the timer shows it */
double sim_reading(struct sim *s, double cycles);

/** sim_without_overhead() - a reading less timer.overhead_ticks, at least 0 */
double sim_without_overhead(const struct sim *s, double ticks);

/** sim_wander() - the clock frequency drifts on */
void sim_wander(struct sim *s);

/** sim_next_interrupt() - loads until the next one, drawn anew */
uint64_t sim_next_interrupt(struct sim *s);

/** sim_view_offer() - say in s->machine which views there are */
void sim_view_offer(struct sim *s);

/* The operations of struct machine_ops. */
double sim_register_chain(struct machine *m, enum register_type type,
			  unsigned int variables);
int sim_view_open(struct machine *m, const struct view_request *request,
		  struct view **view, struct failure *f);
int sim_view_walk(struct view *view, const struct sequence *q,
		  const struct walk_plan *plan, struct sample *samples,
		  struct failure *f);
int sim_view_touch(struct view *view, const struct touch_plan *plan,
		   struct touch_answer *touched, struct failure *f);
int sim_view_touch_tables(struct view *view, const struct touch_plan *plan,
			  uint64_t table_bytes, struct touch_answer *touched,
			  struct failure *f);
void sim_view_close(struct view *view);

#endif
