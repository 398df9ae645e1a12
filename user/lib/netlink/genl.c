// SPDX-License-Identifier: GPL-2.0
#include "netlink/genl.h"

#include <linux/probe_phys.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink/extack.h"

/* Room for bursts of events: one walk may be disturbed thousands of times. */
#define RECEIVE_BYTES (1 << 20)

struct genl {
	struct nl_sock *socket;
	int family;
};

/**
 * struct transfer - one request under way, seen by libnl's callbacks
 * @family: messages of other types are not ours
 * @take: receiver
 * @arg: its argument
 * @taken: first error that @take returned
 * @answer: how the kernel ended the request
 * @ended: it has
 * @interrupted: NLM_F_DUMP_INTR came
 */
struct transfer {
	int family;
	genl_take *take;
	void *arg;
	int taken;
	struct extack answer;
	bool ended;
	bool interrupted;
};

/* libnl maps errno to numbers of its own; the nearest errno again. */
static int errno_of(int nle)
{
	switch (nle < 0 ? -nle : nle) {
	case NLE_INTR:
		return EINTR;
	case NLE_AGAIN:
		return EAGAIN;
	case NLE_NOMEM:
		return ENOMEM;
	case NLE_INVAL:
		return EINVAL;
	case NLE_OPNOTSUPP:
		return EOPNOTSUPP;
	case NLE_AF_NOSUPPORT:
		return EAFNOSUPPORT;
	case NLE_OBJ_NOTFOUND:
		return ENOENT;
	case NLE_BUSY:
		return EBUSY;
	case NLE_NOACCESS:
		return EACCES;
	case NLE_PERM:
		return EPERM;
	case NLE_MSG_TRUNC:
	case NLE_MSG_TOOSHORT:
		return EBADMSG;
	case NLE_MSG_OVERFLOW:
		return EOVERFLOW;
	default:
		return EIO;
	}
}

static int fail_nle(struct failure *f, const char *what, int nle)
{
	return fail(f, STATUS_FAILED, errno_of(nle), "netlink: %s: %s", what,
		    nl_geterror(nle));
}

static int on_valid(struct nl_msg *message, void *arg)
{
	struct nlattr *attributes[PROBE_PHYS_A_MAX + 1];
	struct nlmsghdr *head = nlmsg_hdr(message);
	struct transfer *t = arg;

	if (head->nlmsg_type != t->family || t->taken)
		return NL_SKIP;
	/* libnl forgets the const, but does not write. */
	if (!genlmsg_valid_hdr(head, 0) ||
	    genlmsg_parse(head, 0, attributes, PROBE_PHYS_A_MAX,
			  (struct nla_policy *)(uintptr_t)genl_policy()))
		t->taken = -EBADMSG;
	else
		t->taken = t->take(genlmsg_hdr(head)->cmd, attributes, t->arg);
	return NL_OK;
}

static int on_ack(struct nl_msg *message, void *arg)
{
	struct transfer *t = arg;

	(void)message;
	t->ended = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	/* libnl passes the payload of the message, which the text follows. */
	const struct nlmsghdr *head =
		(const void *)((const char *)e - NLMSG_HDRLEN);
	struct transfer *t = arg;

	(void)from;
	extack_decode_error(head, &t->answer);
	t->ended = true;
	return NL_STOP;
}

/* libnl ignores the error that a dump may end with. */
static int on_finish(struct nl_msg *message, void *arg)
{
	struct transfer *t = arg;

	extack_decode_done(nlmsg_hdr(message), &t->answer);
	t->ended = true;
	return NL_STOP;
}

static int on_interrupted(struct nl_msg *message, void *arg)
{
	struct transfer *t = arg;

	(void)message;
	t->interrupted = true;
	return NL_OK;
}

static struct nl_cb *callbacks(struct transfer *t)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	if (!cb)
		return NULL;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, t);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, t);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, t);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, t);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, t);
	return cb;
}

static int judge(const struct transfer *t, struct failure *f)
{
	const struct extack *answer = &t->answer;
	bool denied = answer->error == -EPERM;

	if (answer->error)
		return fail(f, denied ? STATUS_UNAVAILABLE : STATUS_FAILED,
			    -answer->error, "netlink: refused: %s%s",
			    answer->text[0] ? answer->text :
					      strerror(-answer->error),
			    denied ? " (run as root)" : "");
	if (t->taken)
		return fail(
			f, STATUS_FAILED, -t->taken,
			"netlink: cannot understand an answer: %s (load the probe_phys.ko that came with this tool)",
			strerror(-t->taken));
	return t->interrupted ? -EAGAIN : 0;
}

static int receive_all(struct genl *g, struct transfer *t, struct failure *f)
{
	struct nl_cb *cb = callbacks(t);
	int nle = 0;

	if (!cb)
		return fail_nle(f, "callbacks", -NLE_NOMEM);
	while (!t->ended && nle >= 0)
		nle = nl_recvmsgs(g->socket, cb);
	nl_cb_put(cb);
	if (nle < 0 && !t->ended)
		return fail_nle(f, "receiving", nle);
	return judge(t, f);
}

static int request(struct genl *g, uint8_t command, int flags,
		   struct transfer *t, struct failure *f)
{
	struct nl_msg *message = nlmsg_alloc();
	int nle = -NLE_NOMEM;

	if (message &&
	    genlmsg_put(message, NL_AUTO_PORT, NL_AUTO_SEQ, g->family, 0, flags,
			command, PROBE_PHYS_GENL_VERSION))
		nle = nl_send_auto(g->socket, message);
	nlmsg_free(message);
	if (nle < 0)
		return fail_nle(f, "sending", nle);
	return receive_all(g, t, f);
}

int genl_do(struct genl *g, uint8_t command, genl_take *take, void *arg,
	    struct failure *f)
{
	struct transfer t = { .family = g->family, .take = take, .arg = arg };

	return request(g, command, NLM_F_ACK, &t, f);
}

int genl_dump(struct genl *g, uint8_t command, genl_take *take, void *arg,
	      struct failure *f)
{
	struct transfer t = { .family = g->family, .take = take, .arg = arg };

	return request(g, command, NLM_F_ACK | NLM_F_DUMP, &t, f);
}

static int find_family(struct genl *g, struct failure *f)
{
	g->family = genl_ctrl_resolve(g->socket, PROBE_PHYS_GENL_NAME);
	if (g->family >= 0)
		return 0;
	if (g->family != -NLE_OBJ_NOTFOUND)
		return fail_nle(f, "finding the module's family", g->family);
	return fail(
		f, STATUS_UNAVAILABLE, ENOENT,
		"netlink: no family %s: the module is not loaded (insmod probe_phys.ko)",
		PROBE_PHYS_GENL_NAME);
}

static int connect_socket(struct genl *g, struct failure *f)
{
	int nle, on = 1;

	g->socket = nl_socket_alloc();
	if (!g->socket)
		return fail_nle(f, "socket", -NLE_NOMEM);
	nle = genl_connect(g->socket);
	if (nle < 0)
		return fail_nle(f, "connecting", nle);
	/* Kernels before 4.12 have no texts; refusals then lack them. */
	setsockopt(nl_socket_get_fd(g->socket), SOL_NETLINK, NETLINK_EXT_ACK,
		   &on, sizeof(on));
	return find_family(g, f);
}

struct genl *genl_open(struct failure *f)
{
	struct genl *g = calloc(1, sizeof(*g));

	if (!g) {
		fail_nle(f, "connection", -NLE_NOMEM);
		return NULL;
	}
	if (connect_socket(g, f)) {
		genl_close(g);
		return NULL;
	}
	return g;
}

void genl_close(struct genl *g)
{
	if (!g)
		return;
	nl_socket_free(g->socket);
	free(g);
}

int genl_fd(const struct genl *g)
{
	return nl_socket_get_fd(g->socket);
}

int genl_listen(struct genl *g, const char *group, struct failure *f)
{
	int number =
		genl_ctrl_resolve_grp(g->socket, PROBE_PHYS_GENL_NAME, group);
	int nle;

	if (number < 0)
		return fail_nle(f, "finding the group of events", number);
	nle = nl_socket_add_membership(g->socket, number);
	if (nle == -NLE_PERM || nle == -NLE_NOACCESS)
		return fail(
			f, STATUS_UNAVAILABLE, EPERM,
			"netlink: joining the group of events: not permitted (run as root)");
	if (nle < 0)
		return fail_nle(f, "joining the group of events", nle);
	/* Best effort: the kernel caps it, and a loss is reported. */
	nl_socket_set_buffer_size(g->socket, RECEIVE_BYTES, 0);
	nl_socket_disable_seq_check(g->socket);
	nle = nl_socket_set_nonblocking(g->socket);
	if (nle < 0)
		return fail_nle(f, "waiting for events", nle);
	return 0;
}

/* The pending error of the socket, which libnl would report as ENOMEM. */
static int overrun(const struct genl *g)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (getsockopt(genl_fd(g), SOL_SOCKET, SO_ERROR, &error, &size) < 0)
		return -errno;
	return -error;
}

static int no_seq_check(struct nl_msg *message, void *arg)
{
	(void)message;
	(void)arg;
	return NL_OK;
}

int genl_receive(struct genl *g, genl_take *take, void *arg, struct failure *f)
{
	struct transfer t = { .family = g->family, .take = take, .arg = arg };
	int nle, error = overrun(g);
	struct nl_cb *cb;

	if (error == -ENOBUFS)
		return error;
	cb = callbacks(&t);
	if (!cb)
		return fail_nle(f, "callbacks", -NLE_NOMEM);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, no_seq_check, NULL);
	errno = 0;
	nle = nl_recvmsgs(g->socket, cb);
	error = errno;
	nl_cb_put(cb);
	if (nle == -NLE_NOMEM && error == ENOBUFS)
		return -ENOBUFS;
	if (nle == -NLE_AGAIN)
		return 0;
	if (nle < 0)
		return fail_nle(f, "receiving events", nle);
	return judge(&t, f);
}
