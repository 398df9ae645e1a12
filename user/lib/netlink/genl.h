/* SPDX-License-Identifier: GPL-2.0 */
/*
 * genl.h - requests to the module's generic netlink family.
 *
 * Each request wants an acknowledgement and the kernel's text of a refusal.
 * Knows neither machines nor commands. Called by inventory.c and "monitor".
 * Functions return 0 or -errno with @f set; error numbers of libnl do not leave
 * genl.c.
 */
#ifndef PROBE_PHYS_NETLINK_GENL_H
#define PROBE_PHYS_NETLINK_GENL_H

#include <netlink/attr.h>
#include <stdint.h>

#include "base/error.h"

struct genl;

/**
 * genl_take - one message of the family has come
 * @command: enum probe_phys_cmd
 * @attributes: indexed by enum probe_phys_attr, NULL: absent; types and
 *              lengths are checked
 * @arg: caller's
 * Return: 0 or -errno, which ends the transfer.
 */
typedef int genl_take(uint8_t command, struct nlattr **attributes, void *arg);

/**
 * genl_open() - connect and find the family
 * Return: the connection, or NULL with @f set (STATUS_UNAVAILABLE when the
 * module is not loaded).
 */
struct genl *genl_open(struct failure *f);

/** genl_close() - NULL is allowed */
void genl_close(struct genl *g);

/** genl_do() - send @command without attributes, take the one answer */
int genl_do(struct genl *g, uint8_t command, genl_take *take, void *arg,
	    struct failure *f);

/**
 * genl_dump() - send @command, take all answers
 * Return: 0; -EAGAIN, @f untouched: the list changed meanwhile, and the items
 * taken may be inconsistent; -errno with @f set.
 */
int genl_dump(struct genl *g, uint8_t command, genl_take *take, void *arg,
	      struct failure *f);

/** genl_listen() - join a multicast group; the socket stops blocking */
int genl_listen(struct genl *g, const char *group, struct failure *f);

/** genl_fd() - descriptor to poll for events */
int genl_fd(const struct genl *g);

/**
 * genl_receive() - take the events that have come, after genl_listen()
 * Return: 0; -ENOBUFS, @f untouched: events were lost, go on; -errno with @f
 * set.
 */
int genl_receive(struct genl *g, genl_take *take, void *arg, struct failure *f);

/**
 * genl_policy() - types of the attributes, for nla_parse()
 * Return: PROBE_PHYS_A_MAX + 1 entries.
 */
const struct nla_policy *genl_policy(void);

#endif
