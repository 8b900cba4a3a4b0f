// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * names TRACE [THREADS]: each instruction of each block that was recorded, once: address,
 * function, offset, module, and its frames "function@source:line", innermost first. With
 * THREADS, so many threads ask for all of it at once; the first one prints.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>

enum { FRAMES = 32 };

static struct wm_trace *trace;
static struct wm_names *names;

static void print_insn(FILE *out, uint32_t id, const struct wm_insn *insn)
{
	struct wm_frame frames[FRAMES];
	struct wm_place place;
	size_t n;

	if (wm_names_place(names, 0, insn->address, id, &place, NULL) ||
	    wm_names_frames(names, 0, insn->address, id, frames, FRAMES, &n, NULL))
		return;
	fprintf(out, "0x%llx\t%s\t%llu\t%s", (unsigned long long)insn->address,
		place.name, (unsigned long long)place.offset,
		place.module ? place.module : "");
	for (size_t i = 0; i < n && i < FRAMES; i++)
		fprintf(out, "\t%s@%s:%u", frames[i].function,
			frames[i].source ? frames[i].source : "??", frames[i].line);
	putc('\n', out);
}

static void *print_all(void *out)
{
	struct wm_insn insn;
	struct wm_block block;

	for (uint32_t id = 1; !wm_trace_block(trace, id, &block); id++)
		for (uint32_t i = 0; !wm_trace_insn(trace, id, i, &insn); i++)
			print_insn(out, id, &insn);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t more[16];
	FILE *nowhere = fopen("/dev/null", "w");

	if (argc < 2 || !nowhere || wm_trace_open(&trace, argv[1], NULL) ||
	    wm_names_new(&names, trace, NULL))
		return 2;
	for (int i = 1; i < threads; i++)
		pthread_create(&more[i], NULL, print_all, nowhere);
	print_all(stdout);
	for (int i = 1; i < threads; i++)
		pthread_join(more[i], NULL);
	wm_names_free(names);
	wm_trace_close(trace);
	return 0;
}
