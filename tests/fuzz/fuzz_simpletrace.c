// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a file of QEMU's trace back end "simple", whose header is always good; before
 * them, after two bytes with their number, some as declarations of its events.
 */
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events/simpletrace.h"
#include "fuzz.h"

/* Declared strings may have any bytes; words are plain. */
static void check_text(const struct simpletrace_event *event)
{
	MUST(event->bytes == strlen(event->text));
	for (size_t i = 0; i < event->bytes; i++)
		MUST(event->text[i] >= ' ' && event->text[i] < 0x7f);
}

/* As many events as the file may have, in order, since all are held at once. */
static void check(struct simpletrace *trace, size_t bytes, bool declared)
{
	struct simpletrace_event event;
	struct wm_error err = { .code = 0 };
	uint64_t last_ns = 0, n = 0;
	int ret;

	while ((ret = simpletrace_next(trace, &event, &err)) == 0) {
		MUST(event.ns >= last_ns);
		MUST(event.bytes && ++n <= bytes / 32);
		if (!declared)
			check_text(&event);
		last_ns = event.ns;
	}
	MUST(ret == WM_END || (ret == err.code && *err.text && err.offset < bytes));
	MUST(simpletrace_notes(trace)->cut_off < bytes);
	MUST(simpletrace_notes(trace)->nameless <= n);
}

static struct declarations *read_declarations(struct input *input)
{
	uint32_t bytes = take(input);
	int fd = memfd_create("declarations", MFD_CLOEXEC);
	struct declarations *declarations;
	struct wm_error err;
	uint8_t text[65536];

	bytes |= (uint32_t)take(input) << 8;
	bytes = (uint32_t)take_bytes(input, text, bytes);
	MUST(fd >= 0 && pwrite(fd, text, bytes, 0) == (ssize_t)bytes);
	MUST((declarations_read(&declarations, fd, &err) == 0) == (declarations != NULL));
	close(fd);
	return declarations;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const uint64_t header[] = { SIMPLETRACE_HEADER, SIMPLETRACE_MAGIC,
					   SIMPLETRACE_VERSION };
	struct input input = { data, data + bytes };
	struct declarations *declarations;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct simpletrace *trace;
	struct wm_error err;

	watch_cpu();
	declarations = read_declarations(&input);
	bytes = (size_t)(input.end - input.at);
	MUST(fd >= 0 && pwrite(fd, input.at, bytes, sizeof(header)) == (ssize_t)bytes);
	MUST(pwrite(fd, header, sizeof(header), 0) == sizeof(header));
	MUST(simpletrace_open(&trace, fd, &err) == 0);
	simpletrace_declare(trace, declarations);
	check(trace, bytes + sizeof(header), declarations);
	simpletrace_close(trace);
	declarations_free(declarations);
	return 0;
}
