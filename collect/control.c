// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread that accepts connections, reads a line from each, runs it
 * (collect/commands.c), sends the answer and closes.
 *
 * Clients are not trusted. The kernel has whose process a client is (SO_PEERCRED); only
 * this user and root may ask. A line has a maximum length, sending the answer has a
 * deadline, and there is a maximum number of connections: the oldest one goes for a new
 * one. So a client that sends nothing holds up nobody. It has no deadline, because on a
 * busy machine one that has connected may run again, and ask, seconds later.
 */
#include "collect/control.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/helper_thread.h"
#include "collect/rendezvous.h"

#define ANSWER_NS 2000000000ull /* for a client to take the answer */
#define CLIENTS_MAX 32		/* at once; one more replaces the oldest */

/* A client that has not sent a whole line yet. */
struct client {
	int fd;
	size_t length;
	char line[REQUEST_BYTES_MAX];
};

struct control {
	struct collector *collector;
	char *file; /* absolute */
	struct rendezvous rendezvous;
	int ended; /* an eventfd: readable when all is over */
	pthread_t thread;
	struct client clients[CLIENTS_MAX]; /* [n] in the order in which they came */
	unsigned n;
};

/* ---- one client ---------------------------------------------------------- */

/* Waits until the socket takes more; not beyond `until_ns`, nor the end. */
static bool wait_to_send(const struct control *control, int fd, uint64_t until_ns)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLOUT },
				{ .fd = control->ended, .events = POLLIN } };
	uint64_t now_ns = clock_ns();

	/* The 1 rounds up: poll() must not return just before the deadline. */
	return now_ns < until_ns &&
	       poll(fds, 2, (int)((until_ns - now_ns) / 1000000) + 1) > 0 &&
	       fds[0].revents && !fds[1].revents;
}

static void send_all(const struct control *control, int fd, const struct buf *answer)
{
	uint64_t until_ns = clock_ns() + ANSWER_NS;
	size_t done = 0;

	while (done < answer->len && wait_to_send(control, fd, until_ns)) {
		ssize_t n = send(fd, answer->data + done, answer->len - done,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		/* Anything else means that the client has gone. */
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return;
		done += n > 0 ? (size_t)n : 0;
	}
}

/* The client's process; 0: it may not ask. */
static uint32_t check_peer(int fd)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	/* The kernel fixes these at connect(): a client cannot forge them. */
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    (peer.uid != geteuid() && peer.uid != 0))
		return 0;
	return (uint32_t)peer.pid;
}

/* Runs the request in `line` and sends the answer; NULL: what came is no line. */
static void answer(const struct control *control, int fd, const char *line)
{
	struct buf said = BUF_INIT;
	uint32_t asker = check_peer(fd);
	struct request request;
	struct wm_error err;

	if (!asker)
		answer_bad(&said, "the recording is another user's");
	else if (!line)
		answer_bad(&said, "that was no request");
	else if (!request_parse(&request, line, &err))
		answer_bad(&said, err.text);
	else
		command_run(control->collector, control->file, asker, &request, &said);
	/* Without memory the client gets no answer: the connection is closed. */
	if (!said.failed)
		send_all(control, fd, &said);
	buf_fini(&said);
}

/* ---- all of them --------------------------------------------------------- */

/* Clients stay in the order in which they came: the first one is the oldest. */
static void drop(struct control *control, unsigned index)
{
	struct client *client = &control->clients[index];

	close(client->fd);
	control->n--;
	memmove(client, client + 1, (control->n - index) * sizeof(*client));
}

/* Reads from a client; true when it was answered, or never will be. */
static bool receive(const struct control *control, struct client *client)
{
	ssize_t n = recv(client->fd, client->line + client->length,
			 REQUEST_BYTES_MAX - client->length, MSG_DONTWAIT);
	char *end;

	if (n < 0)
		return errno != EAGAIN && errno != EINTR;
	/* Only the new bytes are searched. */
	end = memchr(client->line + client->length, '\n', (size_t)n);
	client->length += (size_t)n;
	/* n is 0 at end of file: a line without its newline is answered as no request. */
	if (!end && n && client->length < REQUEST_BYTES_MAX)
		return false;
	if (end)
		*end = 0;
	/* A NUL inside the line would hide what follows it. */
	answer(control, client->fd,
	       end && strlen(client->line) == (size_t)(end - client->line) ?
		       client->line :
		       NULL);
	return true;
}

static void accept_client(struct control *control)
{
	int fd = accept4(control->rendezvous.socket, NULL, NULL, SOCK_CLOEXEC);
	struct client *client;

	if (fd < 0) {
		/* Without descriptors the socket stays readable: do not spin. */
		if (errno == EMFILE || errno == ENFILE)
			poll(NULL, 0, 100);
		return;
	}
	if (control->n == CLIENTS_MAX)
		drop(control, 0);
	client = &control->clients[control->n++];
	client->fd = fd;
	client->length = 0;
}

/* Waits for clients and serves them once. False at the end. */
static bool serve_once(struct control *control)
{
	struct pollfd fds[2 + CLIENTS_MAX] = {
		{ .fd = control->ended, .events = POLLIN },
		{ .fd = control->rendezvous.socket, .events = POLLIN },
	};

	for (unsigned i = 0; i < control->n; i++)
		fds[2 + i] = (struct pollfd){ control->clients[i].fd, POLLIN, 0 };
	if (poll(fds, 2 + control->n, -1) < 0)
		/* Most likely a signal: the next call waits on. */
		return true;
	/* Backwards: drop() moves the clients after the dropped one. */
	for (unsigned i = control->n; i-- > 0;)
		if (fds[2 + i].revents && receive(control, &control->clients[i]))
			drop(control, i);
	/* Last, because accepting changes the array that fds[] refers to. */
	if (fds[1].revents)
		accept_client(control);
	return !fds[0].revents;
}

static void *run(void *cookie)
{
	struct control *control = cookie;

	while (serve_once(control))
		;
	/* Requests that are not complete now never get an answer. */
	while (control->n)
		drop(control, control->n - 1);
	return NULL;
}

/* Clients have other working directories than the recorder. */
static char *absolute(const char *path)
{
	char here[PATH_MAX], *whole = NULL;

	if (*path == '/')
		return strdup(path);
	if (getcwd(here, sizeof(here)))
		(void)!asprintf(&whole, "%s/%s", here, path);
	/* NULL when the directory was deleted: then there is no control. */
	return whole;
}

static void control_free(struct control *control)
{
	if (control->ended >= 0)
		close(control->ended);
	free(control->file);
	free(control);
}

struct control *control_start(struct collector *collector, const char *output)
{
	struct control *control = calloc(1, sizeof(*control));

	if (!control)
		return NULL;
	control->collector = collector;
	control->file = absolute(output);
	control->ended = eventfd(0, EFD_CLOEXEC);
	if (control->file && control->ended >= 0 &&
	    rendezvous_open(&control->rendezvous)) {
		if (!helper_thread_start(&control->thread, run, control))
			return control;
		rendezvous_close(&control->rendezvous);
	}
	control_free(control);
	return NULL;
}

void control_stop(struct control *control)
{
	if (!control)
		return;
	/*
	 * It stays readable, so every poll() of the thread returns from here on, also one
	 * that waits for a client to take its answer.
	 */
	eventfd_write(control->ended, 1);
	pthread_join(control->thread, NULL);
	rendezvous_close(&control->rendezvous);
	control_free(control);
}
