// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The socket is connected, so no other process can answer. What comes is compared with what is mapped
 * all the same: when the recorder has gone, the name of its socket may be another program's.
 */
#include "plugin/user/handout.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "format/arena.h"
#include "plugin/core/slot.h"

#define PATIENCE_S 30 /* the recorder answers at once, but may be stopped */

/* Connects a socket with a name of its own, to which the answer comes. */
static bool reach(int fd, const struct handout *at)
{
	static const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct sockaddr_un own = { .sun_family = AF_UNIX }, theirs = own;
	socklen_t head = offsetof(struct sockaddr_un, sun_path);

	if (!at->bytes || at->bytes > sizeof(at->name))
		return false;
	memcpy(theirs.sun_path, at->name, at->bytes);
	return !bind(fd, (struct sockaddr *)&own, head) &&
	       !connect(fd, (struct sockaddr *)&theirs, head + at->bytes) &&
	       !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
}

/* The descriptor that comes next; -1: none. */
static int receive(int fd)
{
	char byte, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { &byte, 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	struct cmsghdr *rights;
	int handed = -1;
	ssize_t n;

	do
		n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	rights = n == 1 ? CMSG_FIRSTHDR(&message) : NULL;
	if (rights && rights->cmsg_type == SCM_RIGHTS &&
	    rights->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&handed, CMSG_DATA(rights), sizeof(int));
	return handed;
}

int handout_ask(void)
{
	struct handout at = slot_board()->handout;
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), handed = -1;

	if (fd < 0)
		return -1;
	if (reach(fd, &at) && send(fd, at.key, sizeof(at.key), MSG_NOSIGNAL) > 0)
		handed = receive(fd);
	close(fd);
	if (handed < 0 || slot_is_memory(handed))
		return handed;
	close(handed);
	return -1;
}
