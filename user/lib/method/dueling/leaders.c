// SPDX-License-Identifier: GPL-2.0
/*
 * leaders.c - which sets lead.
 *
 * The selector is pushed to one side, and sets are read one after the other. A
 * set that reads like a follower on this side has done so wherever the selector
 * is now. A set that does not counts only if the sentinel is still on that
 * side, because reading leaders moves the selector. The group of a set that is
 * read was never pushed.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/wilson.h"
#include "method/dueling/relation.h"
#include "method/dueling/search.h"
#include "method/dueling/tuning.h"

#define MOST_PASSES 12
#define LEAST_PASSES 3
/*
 * A reading belongs to a side if it is this near, of the distance between both.
 */
#define CLEAR 0.3
/* More leaders than one set in this many do not belong to one selector. */
#define LEADERS_ONE_IN 4
#define NEITHER (-1)
/* Wrong votes until they say how often two fall on one set: the rate's standard
 * error is at most a quarter then.
 */
#define LEAST_MISREAD 4

/**
 * struct votes - readings of a set, by the side that the selector was pushed to
 * @same: readings like those of followers on that side
 * @other: readings like those of followers on the other side
 */
struct votes {
	unsigned char same[DUELING_PUSHES];
	unsigned char other[DUELING_PUSHES];
};

/**
 * struct scan - a scan under way
 * @s: the search
 * @votes: of each set
 * @order: order in which sets are read
 * @half: of each group: whether it is in the half that is read or pushed now
 * @lead: number of votes by which a side is decided
 */
struct scan {
	struct dueling_search *s;
	struct votes *votes;
	size_t *order;
	bool *half;
	unsigned int lead;
};

static int side_of(const struct dueling_search *s, double value)
{
	double at = (value - s->shown[0]) / (s->shown[1] - s->shown[0]);

	if (at < CLEAR)
		return 0;
	return at > 1 - CLEAR ? 1 : NEITHER;
}

/* Return: 1: the selector is there, 0: it is not, or -errno. */
static int is_there(struct dueling_search *s, int side, struct failure *f)
{
	double value = 0;
	int error = dueling_read(s, s->sentinel, &value, f);

	if (error == -EAGAIN)
		return 0;
	return error ? error : side_of(s, value) == side;
}

static int push_until(struct dueling_search *s, int side, struct failure *f)
{
	int there = 0;

	for (int i = 0; i < MOST_PUSHES && !there; i++) {
		int error = dueling_push(s, (enum dueling_push)side, f);

		if (error)
			return error;
		there = is_there(s, side, f);
	}
	return there;
}

/* Groups in which leaders were seen are enough. */
static void choose_groups(struct scan *c, bool half, bool all)
{
	const struct dueling_oracle *o = c->s->oracle;

	for (uint64_t i = 0; i < o->groups; i++)
		c->s->groups[i] = all && c->half[i] != half;
	for (uint64_t i = 0; !all && i < o->sets; i++)
		if ((c->votes[i].other[0] || c->votes[i].other[1]) &&
		    c->half[i % o->groups] != half)
			c->s->groups[i % o->groups] = true;
	c->s->groups[c->s->sentinel % o->groups] = false;
}

/* Return: as is_there(). */
static int force(struct scan *c, uint64_t set, int side, struct failure *f)
{
	const struct dueling_oracle *o = c->s->oracle;
	int there = push_until(c->s, side, f);

	if (there)
		return there;
	for (uint64_t i = 0; i < o->groups; i++)
		c->s->groups[i] = i != set % o->groups &&
				  i != c->s->sentinel % o->groups;
	return push_until(c->s, side, f);
}

static int ask(struct scan *c, uint64_t set, int side, struct failure *f)
{
	struct votes *v = &c->votes[set];

	for (int i = 0; i < MOST_ASKED; i++) {
		double value = 0;
		int there, error = dueling_read(c->s, set, &value, f), shown;

		if (error == -EAGAIN)
			continue;
		if (error)
			return error;
		shown = side_of(c->s, value);
		if (shown == side) {
			v->same[side]++;
			return 0;
		}
		there = is_there(c->s, side, f);
		if (there < 0)
			return there;
		if (there && shown != NEITHER) {
			v->other[side]++;
			return 0;
		}
		there = there ? 1 : force(c, set, side, f);
		if (there < 0)
			return there;
	}
	return 0;
}

static bool side_decided(const struct scan *c, uint64_t set, int side)
{
	const struct votes *v = &c->votes[set];

	return abs(v->same[side] - v->other[side]) >= (int)c->lead;
}

static int read_half(struct scan *c, bool half, int side, bool all,
		     struct failure *f)
{
	const struct dueling_oracle *o = c->s->oracle;
	bool forced = false;

	choose_groups(c, half, all);
	for (uint64_t i = 0; i < o->sets; i++) {
		uint64_t set = c->order[i];
		int error = 0;

		if (c->half[set % o->groups] != half ||
		    side_decided(c, set, side))
			continue;
		if (!forced)
			error = force(c, set, side, f);
		forced = true;
		if (error >= 0)
			error = ask(c, set, side, f);
		if (error < 0)
			return error;
	}
	return 0;
}

static void shuffle(struct scan *c)
{
	const struct dueling_oracle *o = c->s->oracle;

	rng_order(c->s->rng, c->order, o->sets);
	for (uint64_t i = 0; i < o->groups; i++)
		c->half[i] = rng_below(c->s->rng, 2);
}

/* Both sides of one half in turn: the earlier pushes are the same for both. */
static int pass(struct scan *c, bool all, struct failure *f)
{
	bool half = rng_below(c->s->rng, 2);
	int side = (int)rng_below(c->s->rng, 2), error = 0;

	shuffle(c);
	for (int i = 0; !error && i < 4; i++)
		error = read_half(c, i / 2 ? half : !half, i % 2 ? side : !side,
				  all, f);
	return error;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/**
 * struct misread - votes against most votes of the same set and side
 * @votes: all votes
 * @wrong: those against
 * @again: sum over those against of the share of the other votes there that are
 *	   against as well
 */
struct misread {
	double votes;
	double wrong;
	double again;
};

static void count_misread(const struct votes *v, struct misread *m)
{
	for (int side = 0; side < DUELING_PUSHES; side++) {
		unsigned int votes = v->same[side] + v->other[side];
		unsigned int wrong = least(v->same[side], v->other[side]);

		m->votes += votes;
		m->wrong += wrong;
		if (wrong > 1)
			m->again += wrong * (wrong - 1.0) / (votes - 1.0);
	}
}

/*
 * How often a vote is wrong: over all votes at most, as each of all passes looks,
 * or given that another vote of the same set is wrong, whichever is more. Votes
 * that are misread by chance are wrong independently, and both rates are the
 * same; where some sets follow another selector all wrong votes are theirs.
 */
static double vote_error(const struct scan *c)
{
	struct misread m = { .votes = 0 };
	double rate;

	for (uint64_t i = 0; i < c->s->oracle->sets; i++)
		count_misread(&c->votes[i], &m);
	rate = rate_most(m.wrong, fmax(m.votes, 1),
			 DUELING_RATE_ALPHA / MOST_PASSES);
	if (m.wrong >= LEAST_MISREAD)
		rate = fmax(rate, m.again / m.wrong);
	return fmin(0.5, rate);
}

/* Error of all sets on both sides, where votes are wrong so often. */
static double roles_error(const struct scan *c, double wrong, unsigned int lead)
{
	return DUELING_PUSHES * (double)c->s->oracle->sets *
	       pow(wrong / (1 - wrong), lead);
}

static bool all_decided(const struct scan *c)
{
	for (uint64_t i = 0; i < c->s->oracle->sets; i++)
		for (int side = 0; side < DUELING_PUSHES; side++)
			if (!side_decided(c, i, side))
				return false;
	return true;
}

static enum dueling_role role_of(const struct scan *c, uint64_t set)
{
	const struct votes *v = &c->votes[set];
	bool same[DUELING_PUSHES];

	for (int side = 0; side < DUELING_PUSHES; side++) {
		if (!side_decided(c, set, side))
			return DUELING_ROLE_UNDECIDED;
		same[side] = v->same[side] > v->other[side];
	}
	if (same[DUELING_THRASH] && same[DUELING_REUSE])
		return DUELING_FOLLOWS;
	if (same[DUELING_THRASH])
		return DUELING_LEADS_THRASH;
	return same[DUELING_REUSE] ? DUELING_LEADS_REUSE :
				     DUELING_ROLE_UNDECIDED;
}

static void conclude(struct scan *c)
{
	struct dueling_finding *found = c->s->found;
	uint64_t leaders;

	for (uint64_t i = 0; i < found->sets; i++) {
		found->roles[i] = (unsigned char)role_of(c, i);
		found->counts[found->roles[i]]++;
	}
	leaders = found->counts[DUELING_LEADS_THRASH] +
		  found->counts[DUELING_LEADS_REUSE];
	if (leaders > found->sets / LEADERS_ONE_IN) {
		dueling_say(
			c->s,
			"%llu of %llu sets do not change, too many to be leaders of one selector",
			(unsigned long long)leaders,
			(unsigned long long)found->sets);
		free(found->roles);
		found->roles = NULL;
		return;
	}
	for (int role = DUELING_LEADS_THRASH; role <= DUELING_LEADS_REUSE;
	     role++)
		found->related[role] = dueling_relate(found,
						      (enum dueling_role)role,
						      &found->relations[role]);
	if (!leaders)
		dueling_say(c->s, "no set was seen to lead");
	else if (found->counts[DUELING_ROLE_UNDECIDED])
		dueling_say(c->s, "the role of %llu sets is undecided",
			    (unsigned long long)
				    found->counts[DUELING_ROLE_UNDECIDED]);
}

static int run(struct scan *c, struct failure *f)
{
	const struct budget_scope scope = budget_open(c->s->budget);
	const bool may = budget_draw(c->s->budget,
				     DUELING_ROLES_ALPHA + DUELING_RATE_ALPHA);
	int error = 0;

	c->s->found->roles_bound = budget_close(c->s->budget, &scope);
	if (!may)
		return -EDQUOT;
	c->lead = MOST_PASSES + 1;
	for (unsigned int i = 0; !error && i < MOST_PASSES; i++) {
		double wrong;

		error = pass(c, !i, f);
		wrong = vote_error(c);
		c->lead = LEAST_PASSES;
		while (roles_error(c, wrong, c->lead) > DUELING_ROLES_ALPHA &&
		       c->lead <= MOST_PASSES)
			c->lead++;
		if (all_decided(c))
			break;
	}
	return error;
}

int dueling_scan(struct dueling_search *s, struct failure *f)
{
	const struct dueling_oracle *o = s->oracle;
	struct scan c = { .s = s };
	int error;

	c.votes = calloc(o->sets, sizeof(*c.votes));
	c.order = calloc(o->sets, sizeof(*c.order));
	c.half = calloc(o->groups, sizeof(*c.half));
	s->found->roles = calloc(o->sets, 1);
	if (!c.votes || !c.order || !c.half || !s->found->roles)
		error = fail(f, STATUS_FAILED, ENOMEM,
			     "set dueling: out of memory (free some)");
	else
		error = run(&c, f);
	if (!error)
		conclude(&c);
	free(c.votes);
	free(c.order);
	free(c.half);
	return error;
}
