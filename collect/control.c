// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread that accepts, reads a line, has it done (collect/commands.c), answers and closes.
 * Whoever connects is untrusted: the kernel says whose process it is, a line has a bound,
 * and reading and writing have a time after which the connection is closed.
 */
#include "collect/control.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/commands.h"
#include "collect/rendezvous.h"

#define ASK_NS 1000000000ull	/* in which a request must be there */
#define ANSWER_NS 2000000000ull /* in which its answer must be taken */

struct control {
	struct collector *collector;
	char *file; /* absolute */
	struct rendezvous rendezvous;
	int ended; /* an eventfd: readable when all is over */
	pthread_t thread;
};

/* ---- one who asks ----------------------------------------------------------------------- */

/* Waits until the socket is ready for `events`, not beyond `until_ns`, nor the end. */
static bool wait_for(const struct control *control, int fd, short events,
		     uint64_t until_ns)
{
	struct pollfd fds[] = { { .fd = fd, .events = events },
				{ .fd = control->ended, .events = POLLIN } };
	uint64_t now_ns = clock_ns();

	return now_ns < until_ns &&
	       poll(fds, 2, (int)((until_ns - now_ns) / 1000000) + 1) > 0 &&
	       fds[0].revents && !fds[1].revents;
}

/* Reads a line, without its end, as a string; false when there is none. */
static bool read_line(const struct control *control, int fd, char line[REQUEST_BYTES_MAX])
{
	uint64_t until_ns = clock_ns() + ASK_NS;
	size_t length = 0;

	while (length < REQUEST_BYTES_MAX && wait_for(control, fd, POLLIN, until_ns)) {
		ssize_t n =
			recv(fd, line + length, REQUEST_BYTES_MAX - length, MSG_DONTWAIT);
		char *end;

		if (n <= 0 && !(n < 0 && (errno == EAGAIN || errno == EINTR)))
			return false;
		end = n > 0 ? memchr(line + length, '\n', (size_t)n) : NULL;
		if (end) {
			*end = 0;
			return strlen(line) == (size_t)(end - line);
		}
		length += n > 0 ? (size_t)n : 0;
	}
	return false;
}

static void send_all(const struct control *control, int fd, const struct buf *answer)
{
	uint64_t until_ns = clock_ns() + ANSWER_NS;
	size_t done = 0;

	while (done < answer->len && wait_for(control, fd, POLLOUT, until_ns)) {
		ssize_t n = send(fd, answer->data + done, answer->len - done,
				 MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return;
		done += n > 0 ? (size_t)n : 0;
	}
}

/* Whose process it is; 0: not one that may ask. */
static uint32_t check_peer(int fd)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
	    (peer.uid != geteuid() && peer.uid != 0))
		return 0;
	return (uint32_t)peer.pid;
}

static void serve(const struct control *control, int fd)
{
	struct buf answer = BUF_INIT;
	char line[REQUEST_BYTES_MAX];
	uint32_t asker = check_peer(fd);
	struct request request;
	struct wm_error err;

	if (!read_line(control, fd, line))
		answer_bad(&answer, "that was no request");
	else if (!asker)
		answer_bad(&answer, "the recording is another user's");
	else if (!request_parse(&request, line, &err))
		answer_bad(&answer, err.text);
	else
		command_run(control->collector, control->file, asker, &request, &answer);
	if (!answer.failed)
		send_all(control, fd, &answer);
	buf_fini(&answer);
}

/* ---- all of them ------------------------------------------------------------------------- */

static void *run(void *cookie)
{
	const struct control *control = cookie;
	struct pollfd fds[] = { { .fd = control->rendezvous.socket, .events = POLLIN },
				{ .fd = control->ended, .events = POLLIN } };

	while (!fds[1].revents) {
		int fd;

		if (poll(fds, 2, -1) < 0 || fds[1].revents)
			continue;
		fd = accept4(fds[0].fd, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0) {
			serve(control, fd);
			close(fd);
		} else if (errno == EMFILE || errno == ENFILE) {
			poll(&fds[1], 1, 100); /* it stays ready: not at once again */
		}
	}
	return NULL;
}

/* Signals are for the thread that waits for the guest. */
static bool start_thread(struct control *control)
{
	sigset_t all, old;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(&control->thread, NULL, run, control);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !failed;
}

static char *absolute(const char *path)
{
	char here[PATH_MAX], *whole = NULL;

	if (*path == '/')
		return strdup(path);
	if (getcwd(here, sizeof(here)))
		(void)!asprintf(&whole, "%s/%s", here, path);
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
		if (start_thread(control))
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
	eventfd_write(control->ended, 1);
	pthread_join(control->thread, NULL);
	rendezvous_close(&control->rendezvous);
	control_free(control);
}
