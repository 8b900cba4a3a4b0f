// SPDX-License-Identifier: GPL-2.0-or-later
/* EVNT sections: what was put comes back, in the order of time, and nothing else does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/clock_event.h"
#include "sample.h"
#include "waymark.h"

static const char path[] = "timeline.wmk";

static void put(struct buf *batch, uint64_t *last, uint64_t ns, uint32_t process,
		uint32_t kind, const char *data, size_t bytes)
{
	struct clock_event event = { ns, process, kind, (const uint8_t *)data, bytes };

	clock_event_put(batch, &event, last);
}

static void put_section(struct sample *sample, struct buf *batch)
{
	sample_put(sample, SECTION_EVNT, batch->data, batch->len);
	buf_fini(batch);
	*batch = BUF_INIT;
}

/* Two sections, which overlap in time, and kinds of all sorts. */
static void make(void)
{
	static struct sample sample;
	struct buf batch = BUF_INIT;
	uint64_t last = 0;

	memset(&sample, 0, sizeof(sample));
	sample_open(&sample, path);
	put(&batch, &last, 3000, 0, WM_EVENT_FORK, "\x2a", 1);
	put(&batch, &last, 1000, UINT32_MAX, WM_EVENT_QEMU, "a line", 6);
	put(&batch, &last, UINT64_MAX, 7, 1000, "new", 3);
	put_section(&sample, &batch);
	last = 0;
	put(&batch, &last, 3000, 1, WM_EVENT_EXEC, "", 0);
	put(&batch, &last, 2000, 0, WM_EVENT_TB_TRANSLATE, "\x80\x01\x07", 3);
	put_section(&sample, &batch);
	sample_close(&sample, false);
}

static void check_next(struct wm_timeline *timeline, uint64_t ns, uint32_t process,
		       uint32_t kind, unsigned n, uint64_t first, const char *text)
{
	struct wm_event event;
	uint32_t got;

	assert_int_equal(wm_timeline_next(timeline, &got, &event), 0);
	assert_int_equal(event.ns, ns);
	assert_int_equal(got, process);
	assert_int_equal(event.kind, kind);
	assert_int_equal(event.n_fields, n);
	assert_int_equal(event.fields[0], first);
	assert_int_equal(event.text_bytes, strlen(text));
	assert_memory_equal(event.text, text, strlen(text));
}

static void in_order(void **state)
{
	struct wm_check check = { 0 };
	struct wm_timeline *timeline;
	struct wm_trace *trace;
	struct wm_event event;
	uint32_t process;

	(void)state;
	make();
	assert_int_equal(wm_trace_open(&trace, path, NULL), 0);
	assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
	assert_int_equal(wm_timeline_new(&timeline, trace, NULL), 0);
	check_next(timeline, 1000, UINT32_MAX, WM_EVENT_QEMU, 0, 0, "a line");
	check_next(timeline, 2000, 0, WM_EVENT_TB_TRANSLATE, 2, 128, "");
	check_next(timeline, 3000, 0, WM_EVENT_FORK, 1, 42, "");
	check_next(timeline, 3000, 1, WM_EVENT_EXEC, 0, 0, "");
	check_next(timeline, UINT64_MAX, 7, 1000, 0, 0, "new");
	assert_int_equal(wm_timeline_next(timeline, &process, &event), WM_END);
	assert_int_equal(wm_timeline_next(timeline, &process, &event), WM_END);
	wm_timeline_free(timeline);
	wm_trace_close(trace);
	unlink(path);
}

static void check_damaged(const char *payload, size_t bytes)
{
	static struct sample sample;
	struct wm_check check = { 0 };
	struct wm_timeline *timeline;
	struct wm_trace *trace;
	struct wm_error err;

	memset(&sample, 0, sizeof(sample));
	sample_open(&sample, path);
	sample_put(&sample, SECTION_EVNT, payload, bytes);
	sample_close(&sample, false);
	assert_int_equal(wm_trace_open(&trace, path, &err), 0);
	assert_int_equal(wm_timeline_new(&timeline, trace, &err), WM_E_DAMAGED);
	assert_true(err.offset > 0);
	assert_int_equal(wm_trace_verify(trace, &check, &err), WM_E_DAMAGED);
	wm_trace_close(trace);
	unlink(path);
}

static void malformed(void **state)
{
	static const char good[] = "\x02\x01\x08\x03\x80\x01\x07";

	(void)state;
	for (size_t n = 1; n < sizeof(good) - 1; n++)
		check_damaged(good, n);
	check_damaged("\x02\x01\x08\x01\x07", 5);		       /* one number */
	check_damaged("\x02\x81\x80\x80\x80\x10\x08\x02\x01\x01", 10); /* process */
	check_damaged("\x02\x01\x80\x80\x80\x80\x10\x00", 8);	       /* kind */
	check_damaged("\x02\x01\x12\xff\xff\xff\xff\x7f", 8);	       /* bytes */
}

static void none(void **state)
{
	static struct sample sample;
	struct wm_timeline *timeline;
	struct wm_trace *trace;
	struct wm_event event;
	uint32_t process;

	(void)state;
	memset(&sample, 0, sizeof(sample));
	sample_open(&sample, path);
	sample_close(&sample, false);
	assert_int_equal(wm_trace_open(&trace, path, NULL), 0);
	assert_int_equal(wm_timeline_new(&timeline, trace, NULL), 0);
	assert_int_equal(wm_timeline_next(timeline, &process, &event), WM_END);
	wm_timeline_free(timeline);
	wm_trace_close(trace);
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(in_order),
	cmocka_unit_test(malformed),
	cmocka_unit_test(none),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
