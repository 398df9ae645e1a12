// SPDX-License-Identifier: GPL-2.0
/* write_back_acts.c - lines that push, and loads and stores between them. */
#include "method/behaviour/write_back_acts.h"

static void use_word(const struct pinned *k, const struct pinned_place *at,
		     int how, struct pinned_steps *s)
{
	const bool loads = how == ACT_LOADED || how == ACT_USED;

	pinned_step_all(k, at, loads ? STEP_LOAD : STEP_STORE, PINNED_WORD, s);
}

void write_back_lay_lost(const struct pinned *k, const struct pinned_place *at,
			 const struct pinned_act *act, struct pinned_steps *s)
{
	pinned_begin(k, at, s);
	pinned_rounds(k, at, PINNED_PUSH, act->before, s);
	use_word(k, at, act->how, s);
	pinned_rounds(k, at, PINNED_PUSH, act->after, s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_UPPER, s);
}

void write_back_lay_unseen(const struct pinned *k,
			   const struct pinned_place *at,
			   const struct pinned_act *act, struct pinned_steps *s)
{
	pinned_begin(k, at, s);
	pinned_rounds(k, at, PINNED_PUSH, act->before, s);
	if (act->how == ACT_SEEN || act->how == ACT_USED)
		pinned_step_all(k, at, STEP_LOAD, PINNED_UPPER, s);
	use_word(k, at, act->how, s);
	pinned_step(k, at, STEP_LOAD, PINNED_PUSH, act->before, act->after, s);
}

void write_back_lay_apart(const struct pinned *k, const struct pinned_place *at,
			  const struct pinned_act *act, struct pinned_steps *s)
{
	write_back_lay_unseen(k, at, act, s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_UPPER, s);
}

void write_back_lay_before(const struct pinned *k,
			   const struct pinned_place *at,
			   const struct pinned_act *act, struct pinned_steps *s)
{
	pinned_begin(k, at, s);
	pinned_rounds(k, at, PINNED_PUSH, act->before, s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_UPPER, s);
}

void write_back_lay_through(const struct pinned *k,
			    const struct pinned_place *at,
			    const struct pinned_act *act,
			    struct pinned_steps *s)
{
	pinned_begin(k, at, s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_X, s);
	pinned_step_all(k, at, STEP_STORE, PINNED_WORD, s);
	pinned_rounds(k, at, PINNED_PUSH, act->before, s);
	use_word(k, at, act->how, s);
	pinned_step(k, at, STEP_LOAD, PINNED_PUSH, act->before, act->after, s);
	pinned_step_all(k, at, STEP_LOAD, PINNED_UPPER, s);
}
