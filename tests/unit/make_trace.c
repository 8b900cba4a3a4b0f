// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_trace FILE: a small trace with everything a listing can show, always the same:
 * three processes, threads that share a name, system calls, signals and an event of a newer
 * Waymark, blocks that were left early. `make_trace FILE gaps`: a trace with gaps, and the
 * events that go with them. `make_trace FILE spaces`: a thread that goes from one process
 * into another and back, with other functions at the same addresses, over a kernel that both
 * share. `make_trace FILE values`: accesses of memory, which are printed as well. `make_trace
 * FILE fetches`: those of an interpreter.
 * `make_trace FILE machine`: two threads of a machine, in all modes and on two harts, with a
 * system call and an interrupt. `make_trace FILE boot`: a kernel's first thread, which begins
 * late and waits. The tests of the command line compare what is printed for them to the byte.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch_guest.h"
#include "format/clock_event.h"
#include "format/records.h"
#include "format/symtab.h"
#include "format/turn.h"
#include "valued.h"
#include "waymark.h"

enum { FIELDS = 7 };

static struct sample sample;
static uint64_t last_ns;

static void put_section(uint32_t type, struct buf *payload)
{
	sample_put(&sample, type, payload->data, payload->len);
	buf_fini(payload);
}

static void put_process(uint32_t index, uint32_t pid, uint32_t parent, const char *path)
{
	struct space_record process = { index,	      pid, parent,    4900 + index,
					(char *)path, 0,   SPACE_NONE };
	struct buf payload = BUF_INIT;

	space_put(&payload, &process);
	put_section(SECTION_PROC, &payload);
}

static void put_thread(uint32_t process, uint32_t vcpu, const char *name)
{
	uint32_t index = sample_stream(&sample);
	struct stream_record stream = { index,	    process,	  vcpu, index == 3,
					42 + index, (char *)name, 0 };
	struct buf payload = BUF_INIT;

	stream_put(&payload, &stream);
	put_section(SECTION_STRM, &payload);
}

/* An event of the next chunk, of that many fields. */
static void put_event(uint64_t position, uint64_t ns, uint32_t kind,
		      const uint64_t *fields, unsigned n, const char *text)
{
	struct buf data = BUF_INIT;
	struct chunk_event event = { .position = position, .kind = kind };

	buf_put_varint(&data, ns - last_ns);
	for (unsigned i = 0; i < n; i++)
		buf_put_varint(&data, fields[i]);
	buf_put(&data, text, strlen(text));
	event.data = data.data;
	event.bytes = data.len;
	event_put(&sample.events, &event, &sample.last_event);
	buf_fini(&data);
	last_ns = ns;
}

#define CALL(position, ns, text, ...)                                                \
	put_event(position, ns, WM_EVENT_SYSCALL, (uint64_t[FIELDS]){ __VA_ARGS__ }, \
		  FIELDS, text)
#define RETURN(position, ns, ...) \
	put_event(position, ns, WM_EVENT_SYSCALL_RET, (uint64_t[]){ __VA_ARGS__ }, 2, "")
#define SIGNAL(position, ns, ...) \
	put_event(position, ns, WM_EVENT_SIGNAL, (uint64_t[]){ __VA_ARGS__ }, 5, "")

/* The clock of a chunk is that of the collector: all of it arrived at once. */
static void set_marks(struct chunk_head *head)
{
	head->begin_ns = head->end_ns = 9000;
}

static void put_chunk(uint32_t thread, const uint32_t *ids, size_t n)
{
	sample_chunk(&sample, thread, ids, n);
	last_ns = 0;
}

static void put_main(void)
{
	CALL(1, 2000, "/etc/a\"b\n", 56, (uint64_t)-100, 0x4000, 0x80000);
	RETURN(1, 2100, 56, (uint64_t)-2);
	CALL(2, 3000, "", 98, 0x10, 0x80, 2);
	RETURN(2, 6000, 98, 0);
	sample_partial(&sample, 3, 1, 1, 0);
	SIGNAL(4, 7000, 11, 1, 0x10004, 0x10, 0x10300);
	put_event(5, 7500, 77, NULL, 0, "what is not known");
	SIGNAL(5, 7600, 34, (uint64_t)-6, 0x10100, 0, 0);
	sample_partial(&sample, 5, 3, 4, 2);
	put_chunk(0, (uint32_t[]){ 1, 2, 3, 1, 4, 3 }, 6);
}

/* What is of no thread: some of a process, some of none, one of a newer Waymark. */
static void put_timeline(void)
{
	static const struct clock_event events[] = {
		{ 4900, 0, WM_EVENT_VCPU_INIT, (const uint8_t *)"\0\x2a", 2 },
		{ 5400, 1, WM_EVENT_EXEC, (const uint8_t *)"/bin/a\033b", 8 },
		{ 3500, UINT32_MAX, WM_EVENT_QEMU, (const uint8_t *)"a \"line\"", 8 },
		{ 5000, 2, WM_EVENT_TB_TRANSLATE, (const uint8_t *)"\x80\x80\4\3", 4 },
		{ 9000, 2, 99, (const uint8_t *)"new", 3 },
	};
	struct buf payload = BUF_INIT;
	uint64_t last = 0;

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		clock_event_put(&payload, &events[i], &last);
	put_section(SECTION_EVNT, &payload);
}

#define WINDOW(position, ns, ...) \
	put_event(position, ns, WM_EVENT_WINDOW, (uint64_t[]){ __VA_ARGS__ }, 3, "")

/* What its thread executed unrecorded is known when it ends. */
static void put_passed(uint32_t index, uint64_t passed)
{
	struct stream_record stream = { index,		0,     index, 0, 42 + index,
					(char *)"main", passed };
	struct buf payload = BUF_INIT;

	stream_put(&payload, &stream);
	put_section(SECTION_STRM, &payload);
}

/*
 * Two windows that one thread goes through, and the gap of a filter in the second, of which
 * there is no event. Another thread has gaps that nobody counted.
 */
static void put_gaps(void)
{
	uint32_t gap = sample_gap(&sample);

	WINDOW(1, 2000, WM_WINDOW_OPENS, 0, 1000);
	WINDOW(3, 3000, WM_WINDOW_CLOSES, 0, 1000);
	WINDOW(4, 4000, WM_WINDOW_OPENS, 1, 3500);
	put_event(5, 4500, WM_EVENT_MARKER, (uint64_t[]){ WM_MARKER_BEGIN, 7 }, 2, "");
	CALL(6, 5000, "", 93, 0);
	put_chunk(0, (uint32_t[]){ gap, 1, 2, gap, 3, 1, gap }, 7);
	WINDOW(1, 6000, WM_WINDOW_CLOSES, WM_WINDOW_WISH, 3600);
	put_chunk(0, (uint32_t[]){ 4, gap }, 2);
	put_passed(0, 5000);
	WINDOW(1, 5500, WM_WINDOW_OPENS, WM_WINDOW_WISH, 0);
	put_chunk(1, (uint32_t[]){ gap, 2, gap }, 3);
}

/* ---- spaces -------------------------------------------------------------- */

enum { MACHINE = 1, ONE = 2, TWO = 3, CODE_BYTES = 0x1000 };

static void put_space(uint32_t index, uint32_t kind, uint32_t over, const char *name)
{
	struct space_record space = { index,	    42 + index, SPACE_NONE, 4900 + index,
				      (char *)name, kind,	over };
	struct buf payload = BUF_INIT;

	space_put(&payload, &space);
	put_section(SECTION_PROC, &payload);
}

/* A file of two functions of 0x100 bytes, mapped from its start on, with their names. */
static void put_file(uint32_t space, uint64_t start, const char *path,
		     const char *build_id, const char *first, const char *second)
{
	struct module_record module = { space, start, start + CODE_BYTES, 0, (char *)path,
					0,     4950,  (char *)build_id };
	struct symtab_head head = { (char *)build_id, (char *)path };
	struct symtab_segment segment = { 0, CODE_BYTES, 0, true };
	struct symtab_range ranges[] = {
		{ 0, 0x100, 0, 0 }, { 0x100, 0x200, (uint32_t)strlen(first) + 1, 0 }
	};
	struct symtab names = { &segment, 1, ranges, 2, BUF_INIT };
	struct buf payload = BUF_INIT;

	buf_put(&names.names, first, strlen(first) + 1);
	buf_put(&names.names, second, strlen(second) + 1);
	symtab_nest(&names);
	module_put(&payload, &module);
	put_section(SECTION_MODU, &payload);
	symtab_put(&payload, &head, &names);
	put_section(SECTION_SYMS, &payload);
	buf_fini(&names.names);
}

/* The same code in both processes, so the same blocks: only the space tells them apart. */
static void put_code(void)
{
	static const uint8_t call[] = { 0xef, 0x00, 0x00, 0x10 }; /* jal ra,0x100 */
	static const uint8_t loop[] = { 0x7d, 0x15, 0x6d, 0xfd }; /* addi; bnez -6 */
	static const uint8_t leave[] = { 0x82, 0x80 };		  /* ret */
	static const uint8_t help[] = { 0x85, 0x05, 0x82, 0x80 }; /* addi; ret */
	static const uint8_t trap[] = { 0x01, 0x00, 0x73, 0x00, 0x20, 0x10 }; /* sret */

	sample_code(&sample, 0x10000, call, sizeof(call));
	sample_code(&sample, 0x10100, help, sizeof(help));
	sample_code(&sample, 0x10004, loop, sizeof(loop));
	sample_code(&sample, 0x10008, leave, sizeof(leave));
	sample_code(&sample, 0xffffffff80000000, trap, sizeof(trap));
}

static uint32_t stays_of; /* the thread of the next stays */

static void put_stay(uint32_t space, const uint32_t *ids, size_t n)
{
	sample.space = space;
	put_chunk(stays_of, ids, n);
}

static void put_spaces(void)
{
	put_space(MACHINE, WM_SPACE_MACHINE, SPACE_NONE, "virt");
	put_space(ONE, WM_SPACE_PROCESS, MACHINE, "/bin/one");
	put_space(TWO, WM_SPACE_PROCESS, MACHINE, "/bin/two");
	put_file(MACHINE, 0xffffffff80000000, "/boot/kernel", "aa", "handle", "schedule");
	put_file(ONE, 0x10000, "/bin/one", "bb", "one_main", "one_help");
	put_file(TWO, 0x10000, "/bin/two", "cc", "two_main", "two_help");
	put_code();
	put_thread(ONE, 0, "task");
	put_stay(CHUNK_SPACE_OF_STREAM, (uint32_t[]){ 1, 2, 3, 1, 5, 2, 3 }, 7);
	put_stay(ONE, (uint32_t[]){ 1 }, 1);
	CALL(0, 6000, "/bin/two", 221, 0x6000, 0x7000, 0x8000);
	SIGNAL(1, 7000, 11, 1, 0x10000, 0x10, 0x10100);
	sample_partial(&sample, 1, 2, 1, 0);
	put_stay(TWO, (uint32_t[]){ 3, 2, 5, 2, 3, 1, 2, 3 }, 8);
	put_stay(ONE, (uint32_t[]){ 2, 3, 4 }, 3);
}

static void put_turns(const struct wm_turn *turns, size_t n)
{
	struct buf payload = BUF_INIT;
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++)
		turn_put(&payload, &turns[i], &last);
	put_section(SECTION_SCHD, &payload);
}

/* The thread starts on hart 0, and goes on hart 1 from the middle of a chunk on. */
static int make_spaces(const char *path)
{
	static const struct wm_turn turns[] = { { 5000, 0, 0, 0 }, { 5900, 1, 0, 5 } };

	sample_open_spaces(&sample, path);
	sample.spoil_head = set_marks;
	put_spaces();
	put_turns(turns, 2);
	sample_close(&sample, false);
	return 0;
}

/* ---- modes --------------------------------------------------------------------------------- */

#define TRAP(position, ns, ...) \
	put_event(position, ns, WM_EVENT_TRAP, (uint64_t[]){ __VA_ARGS__ }, 7, "")
#define TRAP_RETURN(position, ns, ...) \
	put_event(position, ns, WM_EVENT_TRAP_RETURN, (uint64_t[]){ __VA_ARGS__ }, 3, "")

/* A thread of the machine: the first on its hart, or a later one. */
static void put_task(uint32_t space, uint32_t generation, uint32_t tid, const char *name)
{
	uint32_t index = sample_stream(&sample);
	struct stream_record stream = {
		index, space, 0, generation, tid, (char *)name, 0
	};
	struct buf payload = BUF_INIT;

	stream_put(&payload, &stream);
	put_section(SECTION_STRM, &payload);
}

/* Firmware, the kernel; a shell that writes, is interrupted, and becomes another program. */
static void put_modes(void)
{
	static const uint64_t write = 64, timer = 32 + 5, ecall = 8;
	const uint64_t kernel = 0xffffffff80000000, user = 0x10000;

	put_space(MACHINE, WM_SPACE_MACHINE, SPACE_NONE, "machine");
	put_space(ONE, WM_SPACE_PROCESS, MACHINE, "/bin/sh");
	put_space(TWO, WM_SPACE_PROCESS, MACHINE, "/bin/ls");
	sample_block(&sample, 0x80000000, 2);
	sample_block(&sample, kernel, 3);
	sample_block(&sample, kernel + 0x100, 4);
	sample_block(&sample, user, 2);
	sample_block(&sample, user + 0x100, 3);
	put_task(MACHINE, 0, 0, "swapper/0");
	put_task(ONE, 1, 45, "sh");
	TRAP_RETURN(2, 5010, kernel, 3, 1);
	put_stay(CHUNK_SPACE_OF_STREAM, (uint32_t[]){ 1, 1, 2, 3 }, 4);
	TRAP_RETURN(1, 5110, user, 1, 0);
	CALL(3, 5120, "", write, 1, 0x5000, 3);
	TRAP(3, 5130, 1, user + 0x104, kernel, ecall, 0, 0, 1);
	RETURN(5, 5140, write, 3);
	TRAP_RETURN(5, 5150, user, 1, 0);
	TRAP(6, 5160, 0, user + 0x100, kernel + 0x100, timer, 0, 0, 1);
	TRAP_RETURN(7, 5170, user + 0x100, 1, 0);
	stays_of = 1;
	put_stay(CHUNK_SPACE_OF_STREAM, (uint32_t[]){ 2, 4, 5, 2, 3, 4, 3, 5, 5 }, 9);
	put_stay(TWO, (uint32_t[]){ 4, 4 }, 2);
}

/* The second thread goes on on hart 1, in the middle of its system call. */
static int make_machine(const char *path)
{
	static const struct wm_turn turns[] = { { 5000, 0, 0, 0 },
						{ 5100, 0, 1, 0 },
						{ 5900, 1, 1, 4 } };

	sample_open_spaces(&sample, path);
	sample.spoil_head = set_marks;
	put_modes();
	put_turns(turns, sizeof(turns) / sizeof(*turns));
	sample_close(&sample, false);
	return 0;
}

/* ---- a boot ------------------------------------------------------------------------------ */

#define SWITCH(position, ns, next, name)                                              \
	put_event(position, ns, WM_EVENT_SCHED_SWITCH, (uint64_t[]){ next, 0, 2 }, 3, \
		  name)

/* A hart turns to init after 2 s; its call waits from 2.01 s until 5 s. */
static void put_boot(void)
{
	static const uint8_t call[] = { 0xef, 0x00, 0x00, 0x10 }; /* jal ra,0x100 */
	static const uint8_t add[] = { 0x85, 0x05 }, leave[] = { 0x82, 0x80 };
	const uint64_t kernel = 0xffffffff80000000;

	put_space(MACHINE, WM_SPACE_MACHINE, SPACE_NONE, "machine");
	put_space(ONE, WM_SPACE_PROCESS, MACHINE, "/init");
	put_file(MACHINE, kernel, "/boot/kernel", "aa", "kernel_init",
		 "wait_for_completion");
	sample_code(&sample, kernel, call, sizeof(call));
	sample_code(&sample, kernel + 0x100, add, sizeof(add));
	sample_code(&sample, kernel + 0x102, leave, sizeof(leave));
	sample_code(&sample, kernel + 4, leave, sizeof(leave));
	sample_code(&sample, kernel + 0x200, add, sizeof(add));
	put_task(MACHINE, 0, 0, "swapper/0");
	put_task(MACHINE, 1, 1, "init");
	SWITCH(2, 2000004000, 1, "init");
	SWITCH(4, 5000004000, 1, "init");
	put_chunk(0, (uint32_t[]){ 5, 5, 5, 5 }, 4);
	SWITCH(2, 2010005000, 0, "swapper/0");
	put_chunk(1, (uint32_t[]){ 1, 2, 3, 4 }, 4);
}

static int make_boot(const char *path)
{
	static const struct wm_turn turns[] = { { 5000, 0, 0, 0 },
						{ 2000005000, 0, 1, 0 },
						{ 2010006000, 0, 0, 2 },
						{ 5000005000, 0, 1, 2 } };

	sample_open_spaces(&sample, path);
	sample.spoil_head = set_marks;
	put_boot();
	put_turns(turns, sizeof(turns) / sizeof(*turns));
	sample_close(&sample, false);
	return 0;
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void print_access(unsigned thread, const struct valued_access *ran)
{
	const struct wm_access *access = &ran->access;

	printf("%" PRIu64 ",%u,0x%" PRIx64 ",%u,%s,0x", ran->insn_ordinal, thread,
	       access->address, access->size,
	       access->kind == WM_ACCESS_STORE ? "store" : "load");
	if (access->size > 8)
		printf("%016" PRIx64, access->data[1]);
	printf("%0*" PRIx64 "\n", access->size > 8 ? 16 : 2 * access->size,
	       access->data[0]);
}

static int make_values(const char *path)
{
	static struct valued valued;

	valued_open(&valued, path);
	for (unsigned i = 0; i < 5; i++) {
		valued_chunk(&valued, 0, 400, true);
		valued_chunk(&valued, 1, 60, i != 2);
	}
	valued_close(&valued);
	for (unsigned i = 0; i < VALUED_STREAMS; i++)
		for (size_t k = 0; k < valued.n_ran[i]; k++)
			print_access(i, &valued.ran[i][k]);
	valued_fini(&valued);
	return 0;
}

/* ---- fetches ----------------------------------------------------------------------------- */

enum { FETCHES = 3000, FETCHES_MASK = 4095 };

static struct values_encoder *fetches;

static void put_fetches(struct sample *of, uint64_t path_off)
{
	struct values_strings strings;
	struct buf vals = BUF_INIT;

	values_encoder_finish(fetches, &strings);
	strings.path_off = path_off;
	values_put(&vals, &strings);
	sample_put(of, SECTION_VALS, vals.data, vals.len);
	buf_fini(&vals);
	values_encoder_reset(fetches);
}

/* The blocks' programs, and that there are loads. */
static void put_programs(struct value_programs *programs)
{
	struct sites_writer sites;
	struct buf payload = BUF_INIT;

	programs->wanted = VALUES_LOADS | VALUES_FETCHES;
	programs->width = 64;
	meta_put(&payload, "values", "loads");
	put_section(SECTION_META, &payload);
	for (unsigned id = 1; id <= FETCH_BLOCKS; id++)
		sample_block(&sample, 0x10000 + 0x100 * id, 2);
	sample_flush(&sample);
	sites_writer_init(&sites, 1);
	fetch_guest_define(programs, &sites);
	sites_writer_flush(&sites, programs->wanted, programs->width, &payload);
	put_section(SECTION_SITE, &payload);
	sites_writer_fini(&sites);
}

/* An interpreter, in two chunks. */
static int make_fetches(const char *path)
{
	static uint32_t ids[2 * FETCHES];
	static uint64_t ring[2 * FETCHES];
	struct value_programs *programs = value_programs_new();

	sample_open_with(&sample, path, FILE_FETCHES);
	put_programs(programs);
	put_thread(0, 0, "main");
	fetches = values_encoder_new(programs);
	fetch_guest_run(1, ids, ring, 2 * FETCHES);
	sample.after_path = put_fetches;
	for (unsigned at = 0; at < 2 * FETCHES; at += FETCHES) {
		struct value_words words = { ring + at, FETCHES_MASK, 0, FETCHES };

		if (values_encoder_take(fetches, ids + at, FETCHES, &words))
			return 1;
		sample_chunk(&sample, 0, ids + at, FETCHES);
	}
	sample_close(&sample, false);
	values_encoder_free(fetches);
	value_programs_free(programs);
	return 0;
}

int main(int argc, char **argv)
{
	bool gaps = argc == 3 && !strcmp(argv[2], "gaps");

	if (argc == 3 && !strcmp(argv[2], "spaces"))
		return make_spaces(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "machine"))
		return make_machine(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "boot"))
		return make_boot(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "values"))
		return make_values(argv[1]);
	if (argc == 3 && !strcmp(argv[2], "fetches"))
		return make_fetches(argv[1]);
	if (argc != 2 && !gaps)
		return 2;
	sample_open(&sample, argv[1]);
	sample.spoil_head = set_marks;
	if (gaps) {
		for (uint32_t i = 1; i <= 4; i++)
			sample_block(&sample, 0xff00 + 0x100 * i, 1 + i % 4);
		put_thread(0, 0, "main");
		put_thread(0, 1, "worker");
		put_gaps();
		sample_close(&sample, false);
		return 0;
	}
	put_process(1, 43, 0, "/bin/guest");
	put_process(2, 43, 1, "/bin/other");
	for (uint32_t i = 1; i <= 4; i++)
		sample_block(&sample, 0xff00 + 0x100 * i, 1 + i % 4);
	put_thread(0, 0, "main");
	put_thread(0, 1, "worker");
	put_thread(1, 0, "worker");
	put_thread(2, 0, "");
	put_main();
	CALL(2, 4000, "", 64, 1, 0x5000, 3);
	RETURN(2, 4500, 64, 3);
	CALL(3, 8000, "", 93, 0);
	put_chunk(1, (uint32_t[]){ 2, 2, 4 }, 3);
	RETURN(0, 5000, 220, 0);
	CALL(1, 5500, "/bin/other", 221, 0x6000, 0x7000, 0x8000);
	put_chunk(2, (uint32_t[]){ 3 }, 1);
	CALL(1, 6500, "", 999, 1, 2, 3, 4, 5, 6);
	RETURN(1, 6600, 999, (uint64_t)-38);
	put_chunk(3, (uint32_t[]){ 2, 1 }, 2);
	put_timeline();
	sample_close(&sample, false);
	return 0;
}
