// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as the state of an analysis. The first byte says of which; the second how many of
 * the right state's bytes stay in front of the input's.
 */
#include "states.h"

#include "fuzz.h"

static void replace(struct states *states, struct buf *bytes)
{
	size_t kept = states->n ? states->data[0] * bytes->len / 255 : 0;

	if (!states->n)
		return;
	bytes->len = kept;
	buf_put(bytes, states->data + 1, states->n - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct wm_trace *trace;
	static struct symbols *symbols;
	static struct functions *functions;
	static const unsigned streams[] = { 0 };
	struct selection selection = { .streams = streams,
				       .n = 1,
				       .to = UINT64_MAX,
				       .threads = 1,
				       .part_blocks = 1 };
	struct states states = { .spoil = replace };

	watch_cpu();
	if (!trace) {
		MUST(!wm_trace_open(&trace, getenv("WAYMARK_FUZZ_TRACE"), NULL));
		MUST(!symbols_new(&symbols, trace, NULL));
		MUST(!functions_new(&functions, symbols, NULL));
	}
	if (bytes < 2)
		return 0;
	states.data = data + 1;
	states.n = bytes - 1;
	states_ask(&states, data[0] % STATES_ANALYSES, trace, functions, &selection);
	return 0;
}
