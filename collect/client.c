// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client of a recorder's socket: connect, send one line, read to the end, look
 * whether the recorder refused. One request takes one connection, so an answer needs no
 * length.
 *
 * The recorder may be stopped or stuck, and a socket may be anybody's: reading has a
 * timeout, and an answer a maximum size.
 */
#include "collect/requests.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "collect/rendezvous.h"

#define READ_BYTES (64u << 10)

/* What client_waited() knows an error by. */
static const char silent[] = "the recorder does not answer";

bool client_waited(const struct wm_error *err)
{
	return !strcmp(err->text, silent);
}

static int send_request(int fd, enum request_kind kind, const char *argument,
			struct wm_error *err)
{
	struct buf line = BUF_INIT;
	ssize_t sent = -1;
	size_t bytes;

	buf_put(&line, request_names[kind], strlen(request_names[kind]));
	if (*argument)
		buf_put_u8(&line, ' ');
	buf_put(&line, argument, strlen(argument));
	buf_put_u8(&line, '\n');
	bytes = line.len;
	/* A newline in an argument would end the line early. */
	if (bytes > REQUEST_BYTES_MAX || strchr(argument, '\n'))
		errno = EMSGSIZE;
	else if (!line.failed)
		/* One send() suffices: the line is far smaller than a socket's buffer. */
		sent = send(fd, line.data, bytes, MSG_NOSIGNAL);
	buf_fini(&line);
	if (sent != (ssize_t)bytes)
		return wm_fail_errno(err, "cannot ask the recorder");
	return 0;
}

static int read_answer(int fd, struct buf *answer, struct wm_error *err)
{
	ssize_t n;

	/* The buffer may be used for several requests. */
	answer->len = 0;
	do {
		if (answer->len > ANSWER_BYTES_MAX || !buf_reserve(answer, READ_BYTES))
			return wm_fail_nomem(err, "the recorder's answer");
		n = recv(fd, answer->data + answer->len, READ_BYTES, 0);
		answer->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	/* SO_RCVTIMEO has run out. */
	if (n < 0 && errno == EAGAIN)
		return wm_fail(err, WM_E_IO, 0, silent);
	return n < 0 ? wm_fail_errno(err, "cannot ask the recorder") : 0;
}

int client_ask(uid_t uid, pid_t pid, enum request_kind kind, const char *argument,
	       unsigned seconds, struct buf *answer, struct span *rest,
	       struct wm_error *err)
{
	struct timeval patience = { .tv_sec = seconds };
	int fd = rendezvous_connect(uid, pid, err), ret;

	if (fd < 0)
		return fd;
	/*
	 * Applies to each recv(), so a long answer may take longer than `seconds` in all.
	 */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ret = send_request(fd, kind, argument, err);
	if (!ret)
		ret = read_answer(fd, answer, err);
	close(fd);
	if (ret)
		return ret;
	/* The span points into the caller's buffer. */
	*rest = span_of(answer->data, answer->len);
	return answer_open(rest, err);
}
