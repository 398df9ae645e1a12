/* SPDX-License-Identifier: GPL-2.0 */
/* nl.h - talk to the module's generic netlink family and see its refusals. */
#ifndef T_NL_H
#define T_NL_H

#include <netlink/attr.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>

#include "kit/t.h"

/**
 * struct t_reply - what came back for one request
 * @err: errno of the final message, 0: success
 * @text: extack message, empty when there was none
 * @messages: data messages
 * @datagrams: reads that brought at least one
 */
struct t_reply {
	int err;
	char text[256];
	unsigned int messages;
	unsigned int datagrams;
};

/* Called for each data message; @attrs has PROBE_PHYS_A_MAX + 1 slots. */
typedef void (*t_reader)(struct nlattr **attrs, void *arg);

/* A connected socket with extack on. */
struct nl_sock *t_nl_open(void);
/* Number of the family; 0 when it is not registered. */
int t_nl_family(struct nl_sock *sock);
/* Number of the multicast group "events". */
int t_nl_group(struct nl_sock *sock);

/* A request of the family, to be filled with attributes. */
struct nl_msg *t_nl_request(struct nl_sock *sock, int cmd, int flags);
/* Send (and free) a request, read all replies. */
struct t_reply t_nl_talk(struct nl_sock *sock, struct nl_msg *msg,
			 t_reader reader, void *arg);

/* A request without attributes in one call, on a socket of its own. */
struct t_reply t_nl_ask(int cmd, int flags, t_reader reader, void *arg);
/* The same with ID. */
struct t_reply t_nl_ask_id(int cmd, uint64_t id, t_reader reader, void *arg);

/* All statistics, indexed by PROBE_PHYS_A_STAT_*. */
struct t_stats {
	uint64_t of[PROBE_PHYS_A_MAX + 1];
	bool present[PROBE_PHYS_A_MAX + 1];
};
struct t_stats t_nl_stats(void);

#endif /* T_NL_H */
