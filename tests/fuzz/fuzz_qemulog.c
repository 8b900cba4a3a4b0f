// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as QEMU's log, and what could be read of it compared with a trace, when
 * WAYMARK_FUZZ_TRACE names one.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/qemulog.h"

static struct wm_trace *open_trace(void)
{
	const char *path = getenv("WAYMARK_FUZZ_TRACE");
	struct wm_trace *trace = NULL;
	struct wm_error err;

	if (path && wm_trace_open(&trace, path, &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	return trace;
}

static void compare(const struct qemulog *log)
{
	static struct wm_trace *trace;
	struct qemulog_result result;
	struct wm_error err;
	int ret;

	if (!trace)
		trace = open_trace();
	if (!trace)
		return;
	ret = qemulog_compare(log, trace, 0, &result, &err);
	MUST(ret == 0 || ret == QEMULOG_DIFFERS || err.code == ret);
	if (ret >= 0)
		MUST(*result.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static int fd = -1;
	struct qemulog *log;
	struct wm_error err;

	watch_cpu();
	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	MUST(fd >= 0 && ftruncate(fd, 0) == 0);
	MUST(pwrite(fd, data, bytes, 0) == (ssize_t)bytes && lseek(fd, 0, SEEK_SET) == 0);
	if (qemulog_read(&log, fd, &err) == 0)
		compare(log);
	else
		MUST(err.code < 0 && *err.text && !log);
	qemulog_free(log);
	return 0;
}
