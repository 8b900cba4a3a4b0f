// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of QEMU's own trace events, which QEMU writes to a FIFO (-D). A thread does
 * nothing but read them and look at the clock, so that a line's time is that of its
 * arrival, whatever the collector is busy with. When lines come faster than the collector
 * takes them, the thread waits, and QEMU waits with it: the memory for lines has a bound.
 *
 * This process keeps a descriptor of the FIFO open for writing, too. Without it the FIFO
 * would end each time the last of QEMU's processes closes it.
 */
#include "collect/qemu_trace.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"

#define KEPT_BYTES (8u << 20)
#define LINE_BYTES (64u << 10) /* of a line: the rest of it is another one */
#define PIPE_BYTES (1 << 20)

enum { NS = 1000000000 };

struct qemu_trace {
	char dir[64], path[80];
	int fd, stop; /* the FIFO, open to read and write; an eventfd */
	pthread_t thread;
	bool running;
	char line[LINE_BYTES]; /* [used] of one that is not whole yet */
	size_t used;

	pthread_mutex_t lock;
	pthread_cond_t taken;
	struct buf kept; /* (ns:64 bytes:32 text)* */
	bool ending;	 /* nobody takes any more until all is read */
};

/* ---- the thread ---------------------------------------------------------- */

/* Blocks while KEPT_BYTES are waiting, except at the end, when all must be read. */
static void keep_line(struct qemu_trace *trace, uint64_t ns)
{
	pthread_mutex_lock(&trace->lock);
	while (trace->kept.len >= KEPT_BYTES && !trace->ending)
		pthread_cond_wait(&trace->taken, &trace->lock);
	/*
	 * Reserved as a whole: a line is kept completely or not at all, and the buffer
	 * never fails in between.
	 */
	if (buf_reserve(&trace->kept, 12 + trace->used)) {
		buf_put_u64(&trace->kept, ns);
		buf_put_u32(&trace->kept, (uint32_t)trace->used);
		buf_put(&trace->kept, trace->line, trace->used);
	}
	pthread_mutex_unlock(&trace->lock);
	trace->used = 0;
}

static void split(struct qemu_trace *trace, const char *text, size_t bytes, uint64_t ns)
{
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] != '\n')
			trace->line[trace->used++] = text[i];
		/*
		 * An empty line is dropped; a line of LINE_BYTES is kept without its end.
		 */
		if (text[i] == '\n' ? trace->used != 0 : trace->used == LINE_BYTES)
			keep_line(trace, ns);
	}
}

/* Reads what there is; false when there is nothing. */
static bool read_some(struct qemu_trace *trace)
{
	char text[16384];
	ssize_t n = read(trace->fd, text, sizeof(text));

	if (n > 0)
		split(trace, text, (size_t)n, clock_ns());
	return n > 0 || (n < 0 && errno == EINTR);
}

static void *read_all(void *cookie)
{
	struct qemu_trace *trace = cookie;
	struct pollfd fds[] = { { .fd = trace->fd, .events = POLLIN },
				{ .fd = trace->stop, .events = POLLIN } };

	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			break;
		/*
		 * Until the FIFO is empty, also after the stop: what QEMU wrote before
		 * its end is still in it.
		 */
		while (read_some(trace))
			;
		if (fds[1].revents)
			break;
	}
	if (trace->used)
		keep_line(trace, clock_ns());
	return NULL;
}

/* ---- its other side ------------------------------------------------------ */

static int make_fifo(struct qemu_trace *trace, struct wm_error *err)
{
	const char *tmp = getenv("TMPDIR");

	/* QEMU takes a % in the name for its pid. */
	if (!tmp || strlen(tmp) > 32 || strchr(tmp, '%'))
		tmp = "/tmp";
	snprintf(trace->dir, sizeof(trace->dir), "%s/waymark-XXXXXX", tmp);
	if (!mkdtemp(trace->dir)) {
		trace->dir[0] = 0;
		return wm_fail_errno(err, "cannot make a directory in %s", tmp);
	}
	snprintf(trace->path, sizeof(trace->path), "%s/qemu", trace->dir);
	if (mkfifo(trace->path, 0600) < 0)
		return wm_fail_errno(err, "cannot make %s", trace->path);
	/* O_RDWR does not wait for a writer, as O_RDONLY would. */
	trace->fd = open(trace->path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (trace->fd < 0)
		return wm_fail_errno(err, "cannot open %s", trace->path);
	/*
	 * May fail for lack of privileges; the default size also works, with more
	 * waiting.
	 */
	fcntl(trace->fd, F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

int qemu_trace_open(struct qemu_trace **out, struct wm_error *err)
{
	struct qemu_trace *trace = calloc(1, sizeof(*trace));
	int ret;

	if (!trace)
		return wm_fail_nomem(err, "QEMU's trace");
	trace->fd = -1;
	trace->stop = eventfd(0, EFD_CLOEXEC);
	pthread_mutex_init(&trace->lock, NULL);
	pthread_cond_init(&trace->taken, NULL);
	ret = trace->stop < 0 ? wm_fail_errno(err, "cannot follow QEMU's trace") :
				make_fifo(trace, err);
	if (!ret && pthread_create(&trace->thread, NULL, read_all, trace))
		ret = wm_fail_nomem(err, "QEMU's trace");
	trace->running = !ret;
	if (ret)
		qemu_trace_free(trace);
	else
		*out = trace;
	return ret;
}

const char *qemu_trace_path(const struct qemu_trace *trace)
{
	return trace->path;
}

void qemu_trace_take(struct qemu_trace *trace,
		     void (*line)(void *cookie, uint64_t ns, const char *text,
				  size_t bytes),
		     void *cookie)
{
	struct buf kept;
	struct span span;

	pthread_mutex_lock(&trace->lock);
	/* The whole buffer is taken under the lock, and parsed without it. */
	kept = trace->kept;
	trace->kept = BUF_INIT;
	pthread_cond_signal(&trace->taken);
	pthread_mutex_unlock(&trace->lock);
	span = span_of(kept.data, kept.len);
	while (span_left(&span)) {
		uint64_t ns = span_u64(&span);
		uint32_t bytes = span_u32(&span);

		line(cookie, ns, (const char *)span_bytes(&span, bytes), bytes);
	}
	buf_fini(&kept);
}

void qemu_trace_end(struct qemu_trace *trace)
{
	uint64_t one = 1;

	if (!trace->running)
		return;
	pthread_mutex_lock(&trace->lock);
	trace->ending = true;
	pthread_cond_signal(&trace->taken);
	pthread_mutex_unlock(&trace->lock);
	if (write(trace->stop, &one, sizeof(one)) == sizeof(one))
		pthread_join(trace->thread, NULL);
	trace->running = false;
}

void qemu_trace_free(struct qemu_trace *trace)
{
	if (!trace)
		return;
	qemu_trace_end(trace);
	if (trace->fd >= 0)
		close(trace->fd);
	if (trace->stop >= 0)
		close(trace->stop);
	if (trace->path[0])
		unlink(trace->path);
	if (trace->dir[0])
		rmdir(trace->dir);
	buf_fini(&trace->kept);
	pthread_cond_destroy(&trace->taken);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}

/* ---- lines --------------------------------------------------------------- */

/* The digits at *at, up to `end`, as a number; false when there are none, or too many. */
static bool take_number(const char **at, const char *end, char after, uint64_t *value)
{
	const char *first = *at;

	/* At most 18 digits, which fit 64 bits. */
	*value = 0;
	while (*at < end && **at >= '0' && **at <= '9' && *at - first < 18)
		*value = *value * 10 + (uint64_t)(*(*at)++ - '0');
	if (*at == first || *at == end || **at != after)
		return false;
	(*at)++;
	return true;
}

bool qemu_trace_stamp(const char **text, size_t *bytes, uint64_t *realtime_ns)
{
	const char *at = *text, *end = at + *bytes;
	uint64_t pid, seconds, micros;

	/* QEMU's format: "pid@seconds.micros:event ...". */
	if (!take_number(&at, end, '@', &pid) || !take_number(&at, end, '.', &seconds) ||
	    !take_number(&at, end, ':', &micros) || seconds > UINT64_MAX / NS - 1 ||
	    micros >= NS / 1000)
		return false;
	*realtime_ns = seconds * NS + micros * 1000;
	*bytes = (size_t)(end - at);
	*text = at;
	return true;
}
