// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread that answers datagrams. Anybody can send one: the answer is for the key alone, which is in
 * the shared memory. The board is the guest's to overwrite, so the key is kept here, too.
 *
 * The socket's name is one that the kernel chose (unix(7), autobind), and is nobody else's as long as
 * the socket is open. Sending never waits: an asker that does not take its answer holds up nobody.
 */
#include "collect/handout.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/helper_thread.h"

struct handouts {
	struct handout open;
	int memory, socket;
	int ended; /* an eventfd: readable when all is over */
	pthread_t thread;
};

/* Sends the memory's descriptor, with one byte that it needs to come with. */
static void hand_out(const struct handouts *handouts, const struct sockaddr_un *to,
		     socklen_t bytes)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_name = (void *)to,
				  .msg_namelen = bytes,
				  .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	struct cmsghdr *rights = CMSG_FIRSTHDR(&message);

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(rights), &handouts->memory, sizeof(int));
	(void)!sendmsg(handouts->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void answer(const struct handouts *handouts)
{
	uint8_t asked[sizeof(handouts->open.key) + 1];
	struct sockaddr_un from;
	socklen_t bytes = sizeof(from);
	ssize_t n = recvfrom(handouts->socket, asked, sizeof(asked), MSG_DONTWAIT,
			     (struct sockaddr *)&from, &bytes);

	if (n == sizeof(handouts->open.key) &&
	    !memcmp(asked, handouts->open.key, (size_t)n))
		hand_out(handouts, &from, bytes);
}

static void *run(void *cookie)
{
	const struct handouts *handouts = cookie;
	struct pollfd fds[] = { { .fd = handouts->ended, .events = POLLIN },
				{ .fd = handouts->socket, .events = POLLIN } };

	/* An error of poll() is a signal most likely: the next call waits on. */
	while (poll(fds, 2, -1) < 0 || !fds[0].revents)
		if (fds[1].revents)
			answer(handouts);
	return NULL;
}

/* Opens the socket, and keeps its name and a key. */
static bool open_socket(struct handouts *handouts)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t bytes = sizeof(address.sun_family); /* without a name: autobind */
	struct handout *open = &handouts->open;

	handouts->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (handouts->socket < 0 ||
	    bind(handouts->socket, (struct sockaddr *)&address, bytes) < 0)
		return false;
	bytes = sizeof(address);
	if (getsockname(handouts->socket, (struct sockaddr *)&address, &bytes) < 0 ||
	    bytes - sizeof(address.sun_family) > sizeof(open->name))
		return false;
	open->bytes = bytes - (socklen_t)sizeof(address.sun_family);
	memcpy(open->name, address.sun_path, open->bytes);
	return getrandom(open->key, sizeof(open->key), 0) == sizeof(open->key);
}

static void handouts_free(struct handouts *handouts)
{
	if (handouts->socket >= 0)
		close(handouts->socket);
	if (handouts->ended >= 0)
		close(handouts->ended);
	free(handouts);
}

struct handouts *handouts_start(const struct memory *memory)
{
	struct handouts *handouts = calloc(1, sizeof(*handouts));

	if (!handouts)
		return NULL;
	handouts->memory = memory->fd;
	handouts->ended = eventfd(0, EFD_CLOEXEC);
	if (open_socket(handouts) && handouts->ended >= 0 &&
	    !helper_thread_start(&handouts->thread, run, handouts)) {
		memory->board->handout = handouts->open;
		return handouts;
	}
	handouts_free(handouts);
	return NULL;
}

void handouts_stop(struct handouts *handouts)
{
	if (!handouts)
		return;
	eventfd_write(handouts->ended, 1);
	pthread_join(handouts->thread, NULL);
	handouts_free(handouts);
}
