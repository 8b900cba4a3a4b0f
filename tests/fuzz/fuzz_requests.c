// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both ends of a collector's socket: a line that somebody sends it, and an answer that
 * somebody gives who may be no collector. What was understood must come out again.
 */
#include "base/error.h"
#include "collect/requests.h"
#include "fuzz.h"

static void check_request(struct input *input)
{
	char line[REQUEST_BYTES_MAX];
	size_t n = take_bytes(input, line, sizeof(line) - 1);
	struct request request;
	struct wm_error err = { 0 };

	line[n] = 0;
	if (!request_parse(&request, line, &err)) {
		MUST(err.code && err.text[0]);
		return;
	}
	MUST(request.kind < REQUESTS);
	MUST(request.argument >= line && request.argument <= line + n);
	n = strlen(request_names[request.kind]);
	MUST(strncmp(line, request_names[request.kind], n) == 0);
}

/* Whether what was put is got again as the same bytes. */
static void same(const struct buf *one, const struct buf *other)
{
	MUST(!one->failed && !other->failed);
	MUST(one->len == other->len && memcmp(one->data, other->data, one->len) == 0);
}

static void check_status(struct span span)
{
	struct buf first = BUF_INIT, second = BUF_INIT;
	struct status status, again;

	if (!status_get(&span, &status))
		return;
	status_put(&first, &status);
	span = span_of(first.data, first.len);
	MUST(status_get(&span, &again) && !span_left(&span));
	status_put(&second, &again);
	same(&first, &second);
	status_fini(&status);
	status_fini(&again);
	buf_fini(&first);
	buf_fini(&second);
}

static void check_sample(struct span span)
{
	struct buf first = BUF_INIT, second = BUF_INIT;
	struct sample sample, again;

	if (!sample_get(&span, &sample))
		return;
	sample_put(&first, &sample);
	span = span_of(first.data, first.len);
	MUST(sample_get(&span, &again) && !span_left(&span));
	sample_put(&second, &again);
	same(&first, &second);
	sample_fini(&sample);
	sample_fini(&again);
	buf_fini(&first);
	buf_fini(&second);
}

static void check_written(struct span span)
{
	struct written written;

	if (!written_get(&span, &written))
		return;
	MUST(written.file);
	free(written.file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct input input = { data, data + bytes };
	uint8_t what = take(&input) % 5;
	struct span span = span_of(input.at, (size_t)(input.end - input.at));
	struct wm_error err = { 0 };

	watch_cpu();
	if (what == 0)
		check_request(&input);
	else if (what == 1)
		check_status(span);
	else if (what == 2)
		check_sample(span);
	else if (what == 3)
		check_written(span);
	else if (answer_open(&span, &err))
		MUST(err.code < 0 && err.text[0]);
	return 0;
}
