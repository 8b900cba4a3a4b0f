// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * program/given: maps of generated code, the lines they may have, and which processes of a
 * trace they are for.
 */
#include "program/given.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/folder.h"
#include "trace/made.h"
#include "trace/symtabs.h"

/* ---- a made-up trace: processes alone ------------------------------------ */

enum { PROCESSES_MOST = 4 };

struct wm_trace {
	struct wm_process processes[PROCESSES_MOST];
	unsigned n;
};

void wm_trace_summary_sized(const struct wm_trace *trace, struct wm_summary *summary,
			    size_t bytes)
{
	(void)bytes;
	*summary = (struct wm_summary){ .spaces = trace->n };
}

int wm_trace_process_sized(const struct wm_trace *trace, unsigned index,
			   struct wm_process *process, size_t bytes)
{
	(void)bytes;
	if (index >= trace->n)
		return WM_E_RANGE;
	*process = trace->processes[index];
	return 0;
}

int wm_trace_space_sized(const struct wm_trace *trace, unsigned index,
			 struct wm_space *space, size_t bytes)
{
	(void)bytes;
	*space = (struct wm_space){ .over = UINT32_MAX };
	return index < trace->n ? 0 : WM_E_RANGE;
}

/* What the providers of names of files would ask; here no file is. */
uint32_t trace_made_count(const struct wm_trace *trace)
{
	(void)trace;
	return 0;
}

void trace_made(const struct wm_trace *trace, uint32_t index, struct wm_module *module)
{
	(void)trace, (void)index, (void)module;
}

int trace_symtab(const struct wm_trace *trace, unsigned index, struct symtab *symtab,
		 struct wm_error *err)
{
	(void)trace, (void)index, (void)symtab, (void)err;
	return WM_E_RANGE;
}

int trace_codemap(const struct wm_trace *trace, unsigned index, struct codemap *map,
		  struct wm_error *err)
{
	(void)trace, (void)index, (void)map, (void)err;
	return WM_END;
}

int wm_trace_module_sized(const struct wm_trace *trace, unsigned index,
			  struct wm_module *module, size_t bytes)
{
	(void)bytes;
	(void)trace, (void)index, (void)module;
	return WM_E_RANGE;
}

int wm_trace_block_sized(const struct wm_trace *trace, uint32_t id,
			 struct wm_block *block, size_t bytes)
{
	(void)bytes;
	(void)trace, (void)id, (void)block;
	return WM_E_RANGE;
}

int wm_trace_stream_sized(const struct wm_trace *trace, unsigned index,
			  struct wm_stream *stream, size_t bytes)
{
	(void)bytes;
	(void)trace, (void)index, (void)stream;
	return WM_E_RANGE;
}

int wm_trace_chunk_sized(const struct wm_trace *trace, uint64_t index,
			 struct wm_chunk *chunk, size_t bytes)
{
	(void)bytes;
	(void)trace, (void)index, (void)chunk;
	return WM_E_RANGE;
}

int wm_trace_histogram_sized(const struct wm_trace *trace, uint64_t chunk,
			     struct wm_count **counts, size_t bytes, size_t *n,
			     struct wm_error *err)
{
	(void)bytes;
	(void)trace, (void)chunk, (void)counts, (void)n, (void)err;
	return WM_E_RANGE;
}

/* 10 forks 11, which calls execve(); 12 is a child of 10, too. */
static const struct wm_trace family = {
	.processes = { { .pid = 10, .parent = UINT32_MAX },
		       { .pid = 11, .parent = 0 },
		       { .pid = 11, .parent = 1 },
		       { .pid = 12, .parent = 0 } },
	.n = 4,
};

static const struct wm_trace alone = {
	.processes = { { .pid = 10, .parent = UINT32_MAX } },
	.n = 1,
};

/* Writes a map, and opens it. */
static int open_map(struct given *given, const struct wm_trace *trace, const char *name,
		    const char *text, uint32_t pid)
{
	struct wm_error err;
	FILE *out = fopen(name, "w");
	int ret;

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
	ret = given_open(given, trace, name, pid, &err);
	unlink(name);
	return ret;
}

/* "name+offset" of an address in a space; "-". */
static const char *name_in(const struct given *given, const struct wm_trace *trace,
			   uint32_t space, uint64_t address)
{
	static char text[128];
	struct symbol symbol;

	if (!given_find(given, trace, space, address, 1, &symbol))
		return "-";
	assert_int_equal(symbol.file_off, address);
	snprintf(text, sizeof(text), "%s+%d", symbol.name, (int)symbol.offset);
	return text;
}

/* ---- lines --------------------------------------------------------------- */

static void test_lines(void **state)
{
	struct given given;

	(void)state;
	assert_int_equal(open_map(&given, &alone, "perf-10.map",
				  "1000 10 plain\n"
				  "0x1010 0x10 with 0x\n"
				  "ABCDEF10 1 Capital: letters, and (blanks) \n"
				  "1020 0 empty\n"
				  "1030 10\n"
				  "1040 10 \n"
				  "no line\n"
				  "\n"
				  "11112222333344445 1 too long\n"
				  "ffffffffffffffff 2 beyond the end\n"
				  "1050 10 cut sho",
				  0),
			 0);
	assert_string_equal(name_in(&given, &alone, 0, 0x1000), "plain+0");
	assert_string_equal(name_in(&given, &alone, 0, 0x100f), "plain+15");
	assert_string_equal(name_in(&given, &alone, 0, 0x101f), "with 0x+15");
	assert_string_equal(name_in(&given, &alone, 0, 0xabcdef10),
			    "Capital: letters, and (blanks) +0");
	assert_string_equal(name_in(&given, &alone, 0, 0x1020), "-");
	assert_string_equal(name_in(&given, &alone, 0, 0x1030), "-");
	assert_string_equal(name_in(&given, &alone, 0, 0x1040), "-");
	assert_string_equal(name_in(&given, &alone, 0, 0x1050), "cut sho+0");
	assert_string_equal(name_in(&given, &alone, 0, UINT64_MAX), "-");
	given_fini(&given);
}

static void test_reused(void **state)
{
	struct given given;

	(void)state;
	assert_int_equal(open_map(&given, &alone, "perf-10.map",
				  "1000 40 first\n1010 10 second\n1000 8 third\n", 0),
			 0);
	assert_string_equal(name_in(&given, &alone, 0, 0x1000), "third+0");
	assert_string_equal(name_in(&given, &alone, 0, 0x1008), "first+8");
	assert_string_equal(name_in(&given, &alone, 0, 0x1010), "second+0");
	assert_string_equal(name_in(&given, &alone, 0, 0x1020), "first+32");
	given_fini(&given);
}

static void test_no_map(void **state)
{
	struct given given;
	struct wm_error err;

	(void)state;
	assert_int_equal(open_map(&given, &alone, "a", "", 0), WM_E_FORMAT);
	assert_int_equal(open_map(&given, &alone, "a", "hello\nworld\n", 0), WM_E_FORMAT);
	assert_int_equal(given_open(&given, &alone, ".", 0, &err), WM_E_IO);
}

/* ---- processes ----------------------------------------------------------- */

static void test_processes(void **state)
{
	static const char text[] = "1000 10 f\n";
	struct given given;

	(void)state;
	/* By the file's name: all that 11 ran, and nothing else. */
	assert_int_equal(open_map(&given, &family, "perf-11.map", text, 0), 0);
	assert_string_equal(name_in(&given, &family, 0, 0x1000), "-");
	assert_string_equal(name_in(&given, &family, 1, 0x1000), "f+0");
	assert_string_equal(name_in(&given, &family, 2, 0x1000), "f+0");
	assert_string_equal(name_in(&given, &family, 3, 0x1000), "-");
	given_fini(&given);
	/* What is said counts for more. A forked child has its parent's. */
	assert_int_equal(open_map(&given, &family, "perf-11.map", text, 10), 0);
	assert_string_equal(name_in(&given, &family, 0, 0x1000), "f+0");
	assert_string_equal(name_in(&given, &family, 1, 0x1000), "f+0");
	assert_string_equal(name_in(&given, &family, 2, 0x1000), "-");
	given_fini(&given);
	assert_int_equal(open_map(&given, &family, "perf-11.map", text, 13), WM_E_RANGE);
	assert_int_equal(open_map(&given, &family, "perf-13.map", text, 0), WM_E_RANGE);
	assert_int_equal(open_map(&given, &family, "map", text, 0), WM_E_RANGE);
	/* The only one there is. */
	assert_int_equal(open_map(&given, &alone, "map", text, 0), 0);
	assert_string_equal(name_in(&given, &alone, 0, 0x1000), "f+0");
	given_fini(&given);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_reused),
	cmocka_unit_test(test_no_map),
	cmocka_unit_test(test_processes),
};

int main(void)
{
	return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}
