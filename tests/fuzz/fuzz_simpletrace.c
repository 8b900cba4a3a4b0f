// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a file of QEMU's trace back end "simple"; its header is always good. */
#include <sys/mman.h>
#include <unistd.h>

#include "events/simpletrace.h"
#include "fuzz.h"

/* As many events as the file may have, in order, since all are held at once; and words. */
static void check(struct simpletrace *trace, size_t bytes)
{
	struct simpletrace_event event;
	struct wm_error err = { .code = 0 };
	uint64_t last_ns = 0, n = 0;
	int ret;

	while ((ret = simpletrace_next(trace, &event, &err)) == 0) {
		MUST(event.ns >= last_ns && event.bytes == strlen(event.text));
		MUST(event.bytes && ++n <= bytes / 32);
		for (size_t i = 0; i < event.bytes; i++)
			MUST(event.text[i] >= ' ' && event.text[i] < 0x7f);
		last_ns = event.ns;
	}
	MUST(ret == WM_END || (ret == err.code && *err.text && err.offset < bytes));
	MUST(simpletrace_notes(trace)->cut_off < bytes);
	MUST(simpletrace_notes(trace)->nameless <= n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const uint64_t header[] = { SIMPLETRACE_HEADER, SIMPLETRACE_MAGIC,
					   SIMPLETRACE_VERSION };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct simpletrace *trace;
	struct wm_error err;

	watch_cpu();
	MUST(fd >= 0 && pwrite(fd, data, bytes, sizeof(header)) == (ssize_t)bytes);
	MUST(pwrite(fd, header, sizeof(header), 0) == sizeof(header));
	MUST(simpletrace_open(&trace, fd, &err) == 0);
	check(trace, bytes + sizeof(header));
	simpletrace_close(trace);
	return 0;
}
