// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace/qemulog: how a log is understood, and what counts as equal. The trace is
 * made up.
 */
#include "trace/qemulog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "made_up.h"
#include "trace/qemulog-data.h"

/* ---- logs ---------------------------------------------------------------- */

#define TEXT(lines) "----------------\nIN: main\n" lines "\n"
#define JAL "0x0000000000001000:  022000ef          jal    ra,34     # 0x1022\n"
#define NOP_AT_1004 "0x0000000000001004:  0001              nop\n"
#define NOP "0x0000000000001000:  0001              nop\n"
#define RET "0x0000000000001000:  8082              ret\n"
#define RET_AT_2000 "0x0000000000002000:  8082              ret             \n"
#define JAL_NOP JAL NOP_AT_1004
#define TRACE_ON(cpu, pointer, pc)                                            \
	"Trace " #cpu ": 0x7f" #pointer " [0000000000000000/000000000000" #pc \
	"/00207600/00000200] main\n"
#define TRACE(pointer, pc) TRACE_ON(0, pointer, pc)
#define STOPPED(pointer) \
	"Stopped execution of TB chain before 0x7f" #pointer " [0000000000001000] main\n"

static int read_text(struct qemulog **log, const char *text, size_t bytes,
		     struct wm_error *err)
{
	FILE *file = tmpfile();
	int ret;

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	fflush(file);
	lseek(fileno(file), 0, SEEK_SET);
	ret = qemulog_read(log, fileno(file), err);
	fclose(file);
	return ret;
}

static struct qemulog *read_good(const char *text)
{
	struct wm_error err = { 0 };
	struct qemulog *log;

	if (read_text(&log, text, strlen(text), &err) != 0)
		fail_msg("%s", err.text);
	return log;
}

/* The log must be refused with a sentence that has these words. */
static void refuse(const char *text, const char *words)
{
	struct wm_error err = { 0 };
	struct qemulog *log;

	assert_int_equal(read_text(&log, text, strlen(text), &err), WM_E_FORMAT);
	assert_null(log);
	assert_non_null(strstr(err.text, words));
}

/* The outcome of comparing a log with streams of CPU 0, generations 0, 1 and 2. */
static int compare(const char *text, const char *const *ids, unsigned n,
		   struct qemulog_result *result)
{
	struct wm_trace trace = { .n = n };
	struct qemulog *log = read_good(text);
	struct wm_error err = { 0 };
	int ret;

	for (unsigned i = 0; i < n; i++) {
		/* The order in the file need not be that of the generations. */
		trace.streams[i].generation = n - 1 - i;
		trace.ids[i] = ids[n - 1 - i];
	}
	ret = qemulog_compare(log, &trace, 0, result, &err);
	qemulog_free(log);
	return ret;
}

static void equal(const char *text, const char *ids)
{
	struct qemulog_result result;

	if (compare(text, &ids, 1, &result) != 0)
		fail_msg("%s", result.text);
	assert_int_equal(result.blocks, strlen(ids));
	assert_int_equal(result.log_blocks, strlen(ids));
	assert_int_equal(result.trace_blocks, strlen(ids));
}

/* They differ after `blocks` blocks, and the sentence has these words. */
static void differ(const char *text, const char *ids, uint64_t blocks_equal,
		   const char *words)
{
	struct qemulog_result result;

	assert_int_equal(compare(text, &ids, 1, &result), QEMULOG_DIFFERS);
	assert_int_equal(result.blocks, blocks_equal);
	if (!strstr(result.text, words))
		fail_msg("no \"%s\" in: %s", words, result.text);
}

/* ---- tests --------------------------------------------------------------- */

static void test_sequence(void **state)
{
	(void)state;
	equal(TEXT(JAL_NOP) TRACE(10, 1000) TEXT(RET_AT_2000) TRACE(20, 2000)
		      TRACE(10, 1000) TRACE(20, 2000),
	      "1414");
}

static void test_counts(void **state)
{
	const char *ids = "114";
	struct qemulog_result result;

	(void)state;
	assert_int_equal(compare(TEXT(JAL_NOP) TRACE(10, 1000) TRACE(10, 1000)
					 TEXT(RET_AT_2000) TRACE(20, 2000),
				 &ids, 1, &result),
			 0);
	assert_int_equal(result.insns, 5);
	assert_int_equal(result.cpus, 1);
	assert_non_null(strstr(result.text, "3 blocks, 5 instructions"));
}

/* Several blocks live at one address: the pointer tells them apart. */
static void test_pointers(void **state)
{
	(void)state;
	equal(TEXT(JAL_NOP) TRACE(10, 1000) TEXT(NOP) TRACE(20, 1000) TRACE(10, 1000)
		      TRACE(20, 1000),
	      "1313");
}

/* A new text takes over an old pointer: the code buffer was flushed. */
static void test_pointer_again(void **state)
{
	(void)state;
	equal(TEXT(JAL_NOP) TRACE(10, 1000) TEXT(RET) TRACE(10, 1000) TRACE(10, 1000),
	      "122");
	equal(TEXT(JAL_NOP) TRACE(10, 1000) TEXT(RET_AT_2000) TRACE(10, 2000)
		      TEXT(JAL_NOP) TRACE(10, 1000),
	      "141");
}

static void test_translated_twice_before_entered(void **state)
{
	(void)state;
	equal(TEXT(JAL_NOP) TEXT(NOP) TRACE(10, 1000) TEXT(RET_AT_2000) TRACE(10, 1000),
	      "33");
}

static void test_stopped(void **state)
{
	(void)state;
	equal(TEXT(JAL_NOP) TRACE(10, 1000) STOPPED(10) TRACE(10, 1000), "1");
	refuse(TEXT(JAL_NOP) TRACE(10, 1000) STOPPED(20), "did not enter");
	refuse(TEXT(JAL_NOP) TRACE(10, 1000) STOPPED(10) STOPPED(10), "did not enter");
}

static void test_stopped_on_another_cpu(void **state)
{
	const char *ids = "4";
	struct qemulog_result result;

	(void)state;
	assert_int_equal(compare(TEXT(JAL_NOP) TRACE_ON(1, 10, 1000) TEXT(RET_AT_2000)
					 TRACE(20, 2000) STOPPED(10),
				 &ids, 1, &result),
			 0);
}

/* Two CPUs enter a block and one of them stops: only the trace knows which. */
#define TWO_ENTER TEXT(JAL_NOP) TRACE(10, 1000) TRACE_ON(1, 10, 1000)

static int compare_two(const char *text, const char *cpu0, const char *cpu1,
		       struct qemulog_result *result)
{
	struct wm_trace trace = { .n = 2, .pid = 5, .ids = { cpu0, cpu1 } };
	struct qemulog *log = read_good(text);
	struct wm_error err = { 0 };
	int ret;

	trace.streams[1].vcpu = 1;
	ret = qemulog_compare(log, &trace, 0, result, &err);
	qemulog_free(log);
	return ret;
}

static void equal_two(const char *text, const char *cpu0, const char *cpu1)
{
	struct qemulog_result result;

	if (compare_two(text, cpu0, cpu1, &result) != 0)
		fail_msg("%s", result.text);
	assert_int_equal(result.blocks, strlen(cpu0) + strlen(cpu1));
}

static void differ_two(const char *text, const char *cpu0, const char *cpu1,
		       const char *words)
{
	struct qemulog_result result;

	assert_int_equal(compare_two(text, cpu0, cpu1, &result), QEMULOG_DIFFERS);
	if (!strstr(result.text, words))
		fail_msg("no \"%s\" in: %s", words, result.text);
}

static void test_one_of_two_stopped(void **state)
{
	const char *next = TWO_ENTER STOPPED(10) TEXT(RET_AT_2000) TRACE(20, 2000)
		TRACE_ON(1, 20, 2000);

	(void)state;
	equal_two(next, "14", "4");
	equal_two(next, "4", "14");
	differ_two(next, "14", "14", "1 times on one of several CPUs, and 0");
	differ_two(next, "4", "4", "and 2 of their blocks");
}

static void test_one_of_two_stopped_and_again(void **state)
{
	const char *again = TWO_ENTER STOPPED(10) TRACE(10, 1000) TRACE_ON(1, 10, 1000)
		TEXT(RET_AT_2000) TRACE(20, 2000) TRACE_ON(1, 20, 2000);

	(void)state;
	equal_two(again, "114", "14");
	equal_two(again, "14", "114");
	differ_two(again, "114", "114", "and 0 of their blocks");
}

static void test_both_stopped(void **state)
{
	const char *both = TWO_ENTER STOPPED(10) STOPPED(10) TEXT(RET_AT_2000)
		TRACE(20, 2000) TRACE_ON(1, 20, 2000);

	(void)state;
	equal_two(both, "4", "4");
	differ_two(both, "14", "4", "2 times on one of several CPUs, and 1");
}

/* The guess was CPU 1, which stops later: it was CPU 0 before. */
static void test_wrong_guess(void **state)
{
	const char *text = TWO_ENTER STOPPED(10) TEXT(RET_AT_2000) TRACE(20, 2000)
		STOPPED(10) TRACE_ON(1, 20, 2000);

	(void)state;
	equal_two(text, "4", "4");
	differ_two(text, "14", "4", "and 1 of their blocks");
	refuse(TEXT(JAL_NOP) TRACE(10, 1000) TEXT(RET_AT_2000) TRACE_ON(1, 20, 2000)
		       STOPPED(10) STOPPED(10),
	       "did not enter");
}

static void test_stopped_at_the_end(void **state)
{
	(void)state;
	equal_two(TWO_ENTER STOPPED(10), "1", "");
	equal_two(TWO_ENTER STOPPED(10), "", "1");
	/* The other one may not have begun it. */
	equal_two(TWO_ENTER STOPPED(10), "", "");
	differ_two(TWO_ENTER STOPPED(10), "1", "1", "and 0 of their blocks");
}

static void test_other_lines(void **state)
{
	(void)state;
	equal("host mmap_min_addr=0x10000\n" TEXT(
		      "Priv: 0; Virt: 0\n" JAL_NOP) "\n\n"
						    "Linking TBs 0x7f10 index 0 -> 0x7f20\n" TRACE(
							    10,
							    1000) "Tracery\n"
								  "Trace 0: 0x7f10 [0000000000000000/000000",
	      "1");
}

static void test_streams_of_one_cpu(void **state)
{
	const char *ids[] = { "1", "", "41" };
	struct qemulog_result result;

	(void)state;
	assert_int_equal(compare(TEXT(JAL_NOP) TRACE(10, 1000) TEXT(RET_AT_2000)
					 TRACE(20, 2000) TRACE(10, 1000),
				 ids, 3, &result),
			 0);
	assert_int_equal(result.blocks, 3);
}

static void test_differences(void **state)
{
	(void)state;
#define LOG TEXT(JAL_NOP) TRACE(10, 1000) TRACE(10, 1000)
	differ(LOG, "1", 1, "the trace of CPU 0 ends after 1 blocks");
	differ(LOG, "", 0, "ends after 0 blocks");
	differ(LOG, "114", 2, "goes on at 0x2000");
	differ(LOG, "14", 1, "block 1 of CPU 0 differs: the log has 0x1000");
	differ(LOG, "13", 1, "in its instruction 0 the log has 0x1000");
	differ(LOG, "1:", 1, "2 instructions in 6 bytes, the trace 0x1004 with 1");
	differ(TEXT(RET) TRACE(10, 1000), "3", 0, "\"8082              ret\"");
	differ(TEXT(RET) TRACE(10, 1000), "3", 0, "\"0001 nop\"");
#undef LOG
}

/* Equal, where the trace has `n` blocks for the log's. */
static void equal_cut(const char *text, const char *ids, uint64_t blocks_equal,
		      uint64_t n)
{
	struct qemulog_result result;

	if (compare(text, &ids, 1, &result) != 0)
		fail_msg("%s", result.text);
	assert_int_equal(result.blocks, blocks_equal);
	assert_int_equal(result.log_blocks, blocks_equal);
	assert_int_equal(result.trace_blocks, n);
}

/* QEMU logs a block before it begins, and the end of the process comes between. */
static void test_end_before_block(void **state)
{
	const char *log = TEXT(JAL_NOP) TRACE(10, 1000) TRACE(10, 1000) TRACE(10, 1000);
	const struct {
		struct wm_trace trace;
		unsigned unbegun;
		bool differs;
	} cases[] = {
		/* Killed. */
		{ { .ids = { "11" }, .n = 1, .pid = 5, .status = 9 }, 1, false },
		{ { .ids = { "111" }, .n = 1, .pid = 5, .status = 9 }, 0, false },
		/* Killed, and two blocks are missing. */
		{ { .ids = { "1" }, .n = 1, .pid = 5, .status = 9 }, 0, true },
		/* Its only thread ended it. */
		{ { .ids = { "11" }, .n = 1, .pid = 5, .status = 0 }, 0, true },
		/* Another thread may have. */
		{ { .ids = { "11", "" }, .n = 2, .pid = 5, .status = 0 }, 1, false },
		/* A machine. */
		{ { .ids = { "11", "" }, .n = 2, .status = -1 }, 0, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wm_trace trace = cases[i].trace;
		struct qemulog *read = read_good(log);
		struct qemulog_result result;
		struct wm_error err = { 0 };

		trace.streams[1].vcpu = 1;
		assert_int_equal(qemulog_compare(read, &trace, 0, &result, &err),
				 cases[i].differs ? QEMULOG_DIFFERS : 0);
		assert_int_equal(result.unbegun, cases[i].unbegun);
		assert_int_equal(!!strstr(result.text, "one block more"),
				 cases[i].unbegun > 0);
		qemulog_free(read);
	}
}

/* Blocks of the log are cut into several of the trace. */
static void test_cut(void **state)
{
	(void)state;
#define TWICE TEXT(JAL_NOP) TRACE(10, 1000) TRACE(10, 1000)
#define BETWEEN TWICE TEXT(RET_AT_2000) TRACE(20, 2000) TRACE(10, 1000)
	equal_cut(TWICE, "9:9:", 2, 4);
	equal_cut(TWICE, "19:", 2, 3);
	equal_cut(TWICE, "9:1", 2, 3);
	equal_cut(TWICE TEXT(NOP_AT_1004) TRACE(30, 1004), "9:9!:", 3, 4);
	differ(TWICE TEXT(NOP_AT_1004) TRACE(30, 1004), "9:9:", 2, "ends after 2");
	differ(TWICE, "9:", 1, "ends after 1 blocks");
	differ(TWICE, "9::", 1, "the trace 0x1004 with 1 in 2");
	differ(TWICE, "9:9:4", 2, "goes on at 0x2000");
	differ(TEXT(JAL "0x1004:  8082  ret\n") TRACE(10, 1000), "9:", 0,
	       "instruction 0 the log has 0x1004");
	/* Left in the middle: by a signal, at the end, to run an instruction again. */
	equal_cut(BETWEEN, "9:9!49:", 4, 6);
	equal_cut(BETWEEN, "9:9:49", 4, 6);
	equal_cut(TWICE, "99:", 2, 3);
	differ(BETWEEN, "9:949:", 1, "the trace 0x2000 with 1 in 2");
#undef TWICE
#undef BETWEEN
}

static void test_disassembly(void **state)
{
	(void)state;
	differ(TEXT("0x1000:  8082  retard\n") TRACE(10, 1000), "2", 0, "retard");
	differ(TEXT("0x1000:  8082  retard\n") TRACE(10, 1000), "2", 0,
	       " ret\": the code is equal, its text is not; ");
	differ(TEXT("0x1000:  8082  re\n") TRACE(10, 1000), "2", 0, "instruction 0");
	differ(TEXT("0x1000:  8082  ret x\n") TRACE(10, 1000), "2", 0, "instruction 0");
	differ(TEXT("0x1000:  8082\n") TRACE(10, 1000), "2", 0, "instruction 0");
	differ(TEXT("0x1000:  8083  ret\n") TRACE(10, 1000), "2", 0, "instruction 0");
	equal(TEXT("0x1000:  82 80  ret\n") TRACE(10, 1000), "2");
}

/* Numbers of the units that the code is made of, and what has no room in one line. */
static void test_other_isas(void **state)
{
	(void)state;
	equal(TEXT("0x00001000:  f04f 0b00  mov.w    fp, #0\n"
		   "0x00001004:  bc02       pop      {r1}\n") TRACE(10, 1000),
	      "5");
	differ(TEXT("0x00001000:  0b00 f04f  mov.w    fp, #0\n"
		    "0x00001004:  bc02       pop      {r1}\n") TRACE(10, 1000),
	       "5", 0, "instruction 0");
	equal(TEXT("0x00001000:  48 c7 44 24 30 00 10 00  movq     $0x1000, 0x30(%rsp)\n"
		   "0x00001008:  00\n") TRACE(10, 1000),
	      "6");
	differ(TEXT("0x00001000:  48 c7 44 24 30 00 10 00  movq     $0x1000, 0x30(%rsp)\n"
		    "0x00001008:  01\n") TRACE(10, 1000),
	       "6", 0, "instruction 0");
	differ(TEXT("0x00001000:  48 c7 44 24 30 00 10 00  movq     $0x1000, 0x30(%rsp)\n")
		       TRACE(10, 1000),
	       "6", 0, "in 8 bytes, the trace 0x1000 with 1 in 9");
}

/* Where QEMU reads no code, the log says so, or nothing, or shows what lies there. */
static void test_without_code(void **state)
{
	(void)state;
	equal(TEXT("0x00001000: unable to read memory\n") TRACE(10, 1000), "7");
	equal(TEXT("0x00001000:  00000000  andeq    r0, r0, r0\n") TRACE(10, 1000), "7");
	equal(TEXT(RET_AT_2000) TRACE(20, 2000)
		      TEXT("Disassembler disagrees with translator\n") TRACE(10, 1000)
			      TRACE(10, 1000),
	      "477");
	differ(TEXT("0x00001000: unable to read memory\n") TRACE(10, 1000), "2", 0,
	       "0 bytes");
}

static void test_unknown(void **state)
{
	const char *ids = "8";
	struct qemulog_result result;

#define UNKNOWN(last)                                                        \
	TEXT("0x00001000:  62                       .byte    0x62\n"         \
	     "0x00001001:  01 02                    addl     %eax, (%rdx)\n" \
	     "0x00001003:  03 04 " last "                 addl     (%rax), %eax\n")
	(void)state;
	assert_int_equal(compare(UNKNOWN("90") TRACE(10, 1000), &ids, 1, &result), 0);
	assert_int_equal(result.unread, 2);
	differ(UNKNOWN("91") TRACE(10, 1000), "8", 0, "03 04 91");
#undef UNKNOWN
}

static void test_without_nochain(void **state)
{
	(void)state;
	differ(TEXT(JAL_NOP) "Trace 0: 0x7f10 [0/1000/00207600/00000000] main\n", "11", 1,
	       "without nochain");
}

static void test_another_cpu(void **state)
{
	(void)state;
	differ(TEXT(JAL_NOP) TRACE(10, 1000) TRACE_ON(3, 10, 1000), "1", 1, "CPU 3");
}

/* Nothing is said of what a part of a run has to do with a log of all of it. */
static void test_gaps(void **state)
{
	struct wm_trace trace = { .ids = { "1" }, .n = 1, .has_gap = true };
	struct qemulog *log = read_good(TEXT(JAL_NOP) TRACE(10, 1000));
	struct wm_error err = { 0 };
	struct qemulog_result result;

	(void)state;
	assert_int_equal(qemulog_compare(log, &trace, 0, &result, &err), WM_E_RANGE);
	assert_non_null(strstr(err.text, "not recorded"));
	trace.has_gap = false;
	assert_int_equal(qemulog_compare(log, &trace, 0, &result, &err), 0);
	qemulog_free(log);
}

static void test_not_a_log(void **state)
{
	(void)state;
	refuse("", "no Trace line");
	refuse("hello\nworld\n", "no Trace line");
	refuse(TEXT(JAL_NOP), "no Trace line");
	refuse(TRACE(10, 1000), "no in_asm text");
	refuse(TEXT(JAL_NOP) TRACE(10, 1002), "no in_asm text of it");
	refuse(TEXT(JAL_NOP) "Trace 0: (nil) [0/1000/0/0]\n", "not as QEMU writes it");
	refuse(TEXT(JAL_NOP) "Trace 99999: 0x10 [0/1000/0/0]\n", "not as QEMU writes it");
	refuse(TEXT("0x1000:  xyz\n") TRACE(10, 1000), "cannot be read");
	refuse(TEXT("0x:  8082 ret\n") TRACE(10, 1000), "cannot be read");
}

/* Lines and texts without end are refused, not stored. */
static void test_endless(void **state)
{
	size_t bytes = 3 << 20;
	char *text = malloc(bytes);
	struct wm_error err;
	struct qemulog *log;

	(void)state;
	assert_non_null(text);
	memset(text, 'a', bytes);
	assert_int_equal(read_text(&log, text, bytes, &err), WM_E_FORMAT);
	for (size_t i = 0; i < bytes; i += 16)
		memcpy(text + i, i ? "0x10: 0001 nop \n" : "IN:\n0x1: 0001 n\n", 16);
	assert_int_equal(read_text(&log, text, bytes, &err), WM_E_FORMAT);
	free(text);
}

/* More blocks than the sequence keeps in memory, on two CPUs in turn. */
static void test_spool(void **state)
{
	enum { LINES = 100000 };
	char *text = NULL;
	size_t bytes = 0;
	FILE *file = open_memstream(&text, &bytes);
	struct logspool_reader *reader = malloc(sizeof(*reader));
	struct qemulog *log;
	uint32_t id;

	(void)state;
	assert_non_null(reader);
	fputs(TEXT(JAL_NOP) TRACE(10, 1000) TEXT(RET_AT_2000) TRACE(20, 2000), file);
	for (unsigned i = 0; i < LINES; i++)
		fputs(i % 3 ? TRACE(10, 1000) : TRACE_ON(1, 20, 2000), file);
	fclose(file);
	log = read_good(text);
	assert_int_equal(logspool_length(log->spool, 0), 2 + LINES / 3 * 2);
	logspool_reader_init(reader, log->spool, 1);
	for (unsigned i = 0; i < LINES; i += 3) {
		assert_int_equal(logspool_next(reader, &id, NULL), 0);
		assert_int_equal(id, 2);
	}
	assert_int_equal(logspool_next(reader, &id, NULL), WM_END);
	assert_int_equal(logspool_next(reader, &id, NULL), WM_END);
	qemulog_free(log);
	free(reader);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sequence),
	cmocka_unit_test(test_counts),
	cmocka_unit_test(test_pointers),
	cmocka_unit_test(test_pointer_again),
	cmocka_unit_test(test_translated_twice_before_entered),
	cmocka_unit_test(test_stopped),
	cmocka_unit_test(test_stopped_on_another_cpu),
	cmocka_unit_test(test_one_of_two_stopped),
	cmocka_unit_test(test_one_of_two_stopped_and_again),
	cmocka_unit_test(test_both_stopped),
	cmocka_unit_test(test_wrong_guess),
	cmocka_unit_test(test_stopped_at_the_end),
	cmocka_unit_test(test_other_lines),
	cmocka_unit_test(test_streams_of_one_cpu),
	cmocka_unit_test(test_differences),
	cmocka_unit_test(test_end_before_block),
	cmocka_unit_test(test_cut),
	cmocka_unit_test(test_disassembly),
	cmocka_unit_test(test_other_isas),
	cmocka_unit_test(test_without_code),
	cmocka_unit_test(test_unknown),
	cmocka_unit_test(test_without_nochain),
	cmocka_unit_test(test_another_cpu),
	cmocka_unit_test(test_gaps),
	cmocka_unit_test(test_not_a_log),
	cmocka_unit_test(test_endless),
	cmocka_unit_test(test_spool),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
