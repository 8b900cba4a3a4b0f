// SPDX-License-Identifier: GPL-2.0-or-later
/* trace/pclog: what lines of each form say, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "trace/pclog.h"

static struct wm_error err;

static int file_of(const char *text)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int read_text(struct pclog **log, enum pclog_form form, const char *text)
{
	int fd = file_of(text);
	int ret = pclog_read(log, form, fd, &err);

	close(fd);
	return ret;
}

/* Addresses of a CPU that count, as text: "10 12 10". */
static void check_cpu(const struct pclog *log, unsigned cpu, const char *wanted)
{
	static struct pclog_reader reader;
	uint64_t length = 0;
	char text[256] = "";
	const uint32_t *ids;
	size_t n;
	int ret;

	pclog_reader_init(&reader, log, cpu);
	while ((ret = pclog_next(&reader, &ids, &n, &err)) == 0)
		for (length += n; n--; ids++)
			sprintf(text + strlen(text), "%s%llx", *text ? " " : "",
				(unsigned long long)log->pcs[*ids - 1]);
	assert_int_equal(ret, WM_END);
	assert_string_equal(text, wanted);
	assert_int_equal(length, pclog_length(log, cpu));
}

static void check(enum pclog_form form, const char *text, const char *wanted)
{
	struct pclog *log;

	assert_int_equal(read_text(&log, form, text), 0);
	assert_int_equal(log->cpus, 1);
	check_cpu(log, 0, wanted);
	pclog_free(log);
}

/* Of Spike, and whether that is known to be user mode's. */
static void check_spike(const char *text, const char *wanted, bool user)
{
	struct pclog *log;

	assert_int_equal(read_text(&log, PCLOG_SPIKE, text), 0);
	assert_int_equal(log->user, user);
	check_cpu(log, 0, wanted);
	pclog_free(log);
}

static void refused(enum pclog_form form, const char *text, const char *why)
{
	struct pclog *log;

	assert_int_equal(read_text(&log, form, text), WM_E_FORMAT);
	assert_null(log);
	if (!strstr(err.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, err.text);
}

static void test_spike(void **state)
{
	(void)state;
	check(PCLOG_SPIKE,
	      "core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n"
	      "core   0: >>>>  _start\n"
	      "core   0: 0x0000000080000000 (0x00000093) li      ra, 0\n"
	      "core   0:           tval 0x0000000000000000\n"
	      "core   0: 0x80000010 (0xa001) c.j     pc + 0\n"
	      "core   0: >>>>  next\n"
	      "core   0: Executed 3 times\n"
	      "(spike) \n"
	      "core   0: 0x0000000080000014 (0x0000a001) c.j     pc + 0\n",
	      "1000 80000000 80000010 80000010 80000010 80000014");
}

/* Lines of -l: instructions of nobody in particular, and those that tell who it is. */
#define I(pc) "core   0: 0x" #pc " (0x00000013) nop\n"
#define SRET(pc) "core   0: 0x" #pc " (0x10200073) sret\n"
#define MRET(pc) "core   0: 0x" #pc " (0x30200073) mret\n"
#define CSRR(pc) "core   0: 0x" #pc " (0x14202e73) csrr    t3, scause\n"
#define TRAP(name, pc)                                  \
	"core   0: exception " name ", epc 0x" #pc "\n" \
	"core   0:           tval 0x0000000000000000\n"
#define CALL(pc)           \
	"core   0: 0x" #pc \
	" (0x00000073) ecall\ncore   0: exception trap_user_ecall, epc 0x" #pc "\n"

static void test_kernel(void **state)
{
	(void)state;
	/* A ROM, a kernel, the program; a call, and the last one. */
	check_spike(I(1000) CSRR(1004) SRET(80000000) I(10) CALL(14) I(80000010)
			    I(80000014) SRET(80000018) I(18) CALL(1c) I(80000010)
				    I(80000020),
		    "10 14 18 1c", true);
	/* The program at the kernel's own addresses. */
	check_spike(SRET(8) I(10) CALL(14) I(10) SRET(14) I(18) CALL(1c), "10 14 18 1c",
		    true);
	/* A kernel below the kernel, that nobody has heard of before it returns. */
	check_spike(MRET(8) I(20) I(24) SRET(28) I(10) CALL(14) I(80) MRET(84) I(30)
			    SRET(34) I(18) CALL(1c),
		    "10 14 18 1c", true);
	/* A fault of the kernel's, and a handler that goes back elsewhere than where it was. */
	check_spike(SRET(8) I(10) CALL(14) I(80) I(84) TRAP("trap_load_page_fault", 84)
			    I(80) SRET(88) I(84) SRET(8c) I(18) CALL(1c),
		    "10 14 18 1c", true);
	check_spike(SRET(8) I(10) CALL(14) I(80) I(84) TRAP("trap_load_page_fault", 84)
			    I(80) SRET(88) I(f0) SRET(8c) I(18) CALL(1c),
		    "10 14 18 1c", true);
	check_spike(I(1000) SRET(8) I(
			    10) "core   0: 0x14 (0x00000073) ecall\n"
				"core   0: exception trap_supervisor_ecall, epc 0x14\n" I(
					80) MRET(84) I(18) I(1c),
		    "1000 8 10 14 80 84 18 1c", false);
	/* What asks for user mode's registers is not a kernel for that. */
	check_spike("core   0: 0x10 (0xc0002573) rdcycle a0\n" TRAP("interrupt #7", 14)
			    SRET(80) I(14),
		    "10 14", false);
}

static void test_faults(void **state)
{
	(void)state;
	/* It comes again when its page is there. */
	check_spike(SRET(8) I(10) I(14) TRAP("trap_store_page_fault", 14) I(80) SRET(84)
			    I(14) CALL(18),
		    "10 14 18", true);
	/* Again and again; and the page of the first instruction itself. */
	check_spike(SRET(8) TRAP("trap_instruction_page_fault", 10) I(80) SRET(84) I(10)
			    I(14) TRAP("trap_load_page_fault", 14) I(80) SRET(84) I(14)
				    TRAP("trap_load_page_fault", 14) I(80) SRET(84) I(14)
					    CALL(18),
		    "10 14 18", true);
	/* The handler carries it out. */
	check_spike(SRET(8) I(10) I(14) TRAP("trap_load_address_misaligned", 14) I(80)
			    MRET(84) I(18) CALL(1c),
		    "10 14 18 1c", true);
	/* Nobody goes back: it began. */
	check_spike(SRET(8) CALL(10) SRET(80) I(14) I(18) TRAP("trap_load_page_fault", 18)
			    I(80) I(84),
		    "10 14 18", true);
	/* An interrupt comes before the instruction. */
	check_spike(SRET(8) I(10) I(14) TRAP("interrupt #7", 18) I(80) MRET(84) I(18)
			    CALL(1c),
		    "10 14 18 1c", true);
	check_spike(SRET(8) I(10) I(14) TRAP("interrupt #7", 14) I(80) MRET(84) I(14)
			    CALL(18),
		    "10 14 14 18", true);
	/* Often in a row, and a fault the last time. */
	check_spike(SRET(8) I(10) TRAP("trap_load_page_fault",
				       10) "core   0: Executed 3 times\n" I(80) SRET(84)
			    I(10) "core   0: Executed 2 times\n" CALL(14),
		    "10 10 10 10 14", true);
	/* What -l does not name counts as -l has it. */
	check_spike(TRAP("trap_user_ecall", 10) I(80) SRET(84) I(14), "10 14", true);
}

/* Lines of --log-commits. */
#define C(mode, pc) "core   0: " #mode " 0x" #pc " (0x00000013)\n"
#define W(mode, pc, word, value) \
	"core   0: " #mode " 0x" #pc " (" #word ") x5  0x" #value "\n"
#define SEPC(value) W(1, 80, 0x141022f3, value)
#define SCAUSE(value) W(1, 84, 0x142022f3, value)
#define MEPC(value) W(3, f0, 0x341022f3, value)
#define MCAUSE(value) W(3, f4, 0x342022f3, value)
#define BACK(mode) \
	"core   0: " #mode " 0x88 (0x10200073) c768_mstatus 0x8000000a000060a2\n"

static void test_commits(void **state)
{
	(void)state;
	check_spike(C(3, 1000) C(1, 80) BACK(1) C(0, 10) W(0, 14, 0x00000013, 7) SEPC(18)
			    SCAUSE(8) BACK(1) C(0, 1c) SCAUSE(8) SEPC(20) C(1, 90),
		    "10 14 18 1c 20", true);
	/* The first reads count: here of a page fault, then one in the kernel. */
	check_spike(C(0, 10) SEPC(14) SCAUSE(f) SEPC(80) SCAUSE(8) BACK(1) C(0, 14),
		    "10 14", true);
	/* Carried out by machine mode; and machine mode hands a call on to supervisor mode. */
	check_spike(C(0, 10) MCAUSE(4) MEPC(14) BACK(3) C(0, 18) MCAUSE(8) MEPC(1c)
			    SEPC(1c) SCAUSE(8) BACK(1) C(0, 20),
		    "10 14 18 1c 20", true);
	/* An interrupt of machine mode comes first, then the call. */
	check_spike(C(0, 10) MCAUSE(8000000000000007) MEPC(78) BACK(3) SCAUSE(8) SEPC(14)
			    BACK(1) C(0, 18),
		    "10 14 18", true);
	/* What machine mode reads of supervisor mode's is of another time. */
	check_spike(C(0, 10) W(3, f0, 0x141022f3, 99) W(3, f4, 0x142022f3, 8)
			    MCAUSE(8000000000000007) MEPC(14) BACK(3) C(0, 14),
		    "10 14", true);
	/* A fault that is the end; of an instruction that is not there, there is none. */
	check_spike(C(0, 10) SEPC(14) SCAUSE(d) C(1, 90), "10 14", true);
	check_spike(C(0, 10) SEPC(14) SCAUSE(c) C(1, 90), "10", true);
	/* A register's name as older versions write it, and reads that write none. */
	check_spike(C(0, 10) "core   0: 1 0x80 (0x141022f3) x 5 0x14\n"
			     "core   0: 1 0x84 (0x142022f3) x 5 0x8\n" C(1, 88),
		    "10 14", true);
	check_spike(C(0, 10) W(1, 80, 0x14101073, 14) SCAUSE(8) C(1, 88), "10", true);
	/* Nothing is user mode's. */
	check_spike(C(3, 1000) C(3, 1004) C(3, 1000), "1000 1004 1000", false);
}

/* Both: each instruction has two lines, except for those that trap. */
#define BOTH(mode, pc) I(pc) C(mode, pc)

static void test_both(void **state)
{
	(void)state;
	check_spike(BOTH(3, 1000) SRET(8) BACK(1) BOTH(0, 10) CALL(14) BOTH(1, 80)
			    SEPC(14) SCAUSE(8) BACK(1) BOTH(0, 18) I(1c)
				    TRAP("trap_load_page_fault", 1c) BOTH(1, 80) SEPC(1c)
					    SCAUSE(d) BACK(1) BOTH(0, 1c) CALL(20),
		    "10 14 18 1c 20", true);
	/* Of one in a row, -l has a line, and commits have each. */
	check_spike(BOTH(0, 10) C(0, 10)
			    C(0, 10) "core   0: Executed 3 times\n" BOTH(0, 14),
		    "10 10 10 14", true);
	check_spike(BOTH(0, 10) C(0, 10) TRAP("trap_load_page_fault", 10) BOTH(1, 80)
			    BACK(1) BOTH(0, 10) BOTH(0, 14),
		    "10 10 10 14", true);
}

static void test_spike_harts(void **state)
{
	struct pclog *log;

	(void)state;
	assert_int_equal(read_text(&log, PCLOG_SPIKE,
				   "core   0: 0x10 (0x00000013) nop\n"
				   "core   2: 0x20 (0x00000013) nop\n"
				   "core   0: 0x14 (0x00000013) nop\n"
				   "core   2: Executed 2 times\n"
				   "core   2: 0x24 (0x00000013) nop\n"),
			 0);
	assert_int_equal(log->cpus, 3);
	check_cpu(log, 0, "10 14");
	check_cpu(log, 1, "");
	check_cpu(log, 2, "20 20 24");
	pclog_free(log);

	/* Those that run no program are none. */
	assert_int_equal(read_text(&log, PCLOG_SPIKE,
				   "core   0: 0 0x10 (0x00000013)\n"
				   "core   3: 3 0x20 (0x00000013)\n"),
			 0);
	assert_int_equal(log->cpus, 1);
	check_cpu(log, 0, "10");
	pclog_free(log);
}

static void test_spike_refused(void **state)
{
	(void)state;
	refused(PCLOG_SPIKE, "", "no line of the log");
	refused(PCLOG_SPIKE, "0, 0x10, 0x13, \"nop\"\n", "no line of the log");
	refused(PCLOG_SPIKE, "core   0: Executed 4 times\n", "begins in the middle");
	refused(PCLOG_SPIKE,
		"core   0: 0x10 (0x00000013) nop\ncore   0: Executed 1 times\n",
		"executed no, or far too many times");
	refused(PCLOG_SPIKE,
		"core   0: 0x10 (0x00000013) nop\ncore   0: Executed 999999999 times\n",
		"far too many times");
	refused(PCLOG_SPIKE, "core 1024: 0x10 (0x00000013) nop\n", "too high a number");
	refused(PCLOG_SPIKE, "core 1024: 0 0x10 (0x00000013)\n", "too high a number");
	refused(PCLOG_SPIKE, "core   0: 4 0x10 (0x00000013)\n", "no line of the log");
	refused(PCLOG_SPIKE, "core   0: 0 0x10 (0x00000013\n", "no line of the log");
	refused(PCLOG_SPIKE, "core   0: 0 10 (0x00000013)\n", "no line of the log");
	refused(PCLOG_SPIKE, "core   0: exception trap_user_ecall\n",
		"no line of the log");
	/* What is not ended by a newline was cut off. */
	refused(PCLOG_SPIKE, "core   0: 0x10 (0x00000013) nop", "no line of the log");
}

static void test_execlog(void **state)
{
	(void)state;
	check(PCLOG_EXECLOG,
	      "0, 0x10556, 0x6422, \"ld s0,8(sp)\", load, 0x4000800508, RAM\n"
	      "warning: something else\n"
	      "0, 0x10558, 0x00a58033, \"add zero,a1,a0\"\n"
	      "0, 0x1055c, 0x13, \"nop\", store, 0x08, RAM, x1 -> 0x4\r\n"
	      "0, 0x1055c",
	      "10556 10558 1055c");
	refused(PCLOG_EXECLOG, "core   0: 0x10 (0x00000013) nop\n", "no line of the log");
}

/* QEMU before 9.1 gives two bytes that are not the instruction's. */
static void test_execlog_rest(void **state)
{
	struct pclog *log;

	(void)state;
	assert_int_equal(read_text(&log, PCLOG_EXECLOG,
				   "0, 0x105c2, 0xef318082, \"8082              ret  \"\n"
				   "0, 0x105c2, 0x67aa8082, \"8082              ret  \"\n"
				   "0, 0x10556, 0xef318082, \"addb 0x31(%rdx), %al\"\n"),
			 0);
	assert_int_equal(log->n, 2);
	assert_int_equal(log->words[0], 0x8082);
	assert_int_equal(log->words[1], 0xef318082);
	pclog_free(log);
}

/* Records of several CPUs in one line. */
static void test_execlog_joined(void **state)
{
	struct pclog *log;

	(void)state;
	assert_int_equal(read_text(&log, PCLOG_EXECLOG,
				   "0, 0x10, 0x13, \"nop\"2, 0x20, 0x13, \"nop\"\n\n"
				   /* of 2, 12 or 812 */
				   "0, 0x14, 0x13, \"lw\", load, 0x4000812, 0x24, 0x13, "
				   "\"nop\"0, 0x18, 0x6422, \"ld\"\n\n\n"
				   "12, 0x1a, 0x13, \"nop\"\n"
				   /* goes on, or is where a trap leads */
				   "0, 0x1a, 0x13, \"sd\", store, 0x4000812, 0x1e, 0x13, "
				   "\"nop\"\n"
				   "0, 0x1e, 0x13, \"sd\", load, 0x4000802, 0x70, 0x13, "
				   "\"nop\"\n"),
			 0);
	assert_int_equal(log->cpus, 13);
	check_cpu(log, 0, "10 14 18 1a 1e");
	check_cpu(log, 2, "20 24 70");
	check_cpu(log, 12, "1a 1e");
	pclog_free(log);
	refused(PCLOG_EXECLOG,
		"0, 0x10, 0x13, \"nop\"\n12, 0x20, 0x13, \"nop\"\n2, 0x30, 0x13, \"nop\"\n"
		"0, 0x14, 0x13, \"lw\", load, 0x4000812, 0x70, 0x13, \"nop\"\n",
		"records of several CPUs");
}

static void test_qemu(void **state)
{
	static const char text[] =
		"0x0000000000010584:  022000ef          jal                     ra,34\n"
		"0x00000000000105a6:  6422              ld                      s0,8(sp)\n";
	int fd = file_of(text);

	(void)state;
	check(PCLOG_QEMU, text, "10584 105a6");
	assert_true(pclog_is_listing(fd));
	close(fd);
	fd = file_of("----------------\nIN: main\n");
	assert_false(pclog_is_listing(fd));
	close(fd);
	fd = file_of("");
	assert_false(pclog_is_listing(fd));
	close(fd);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_spike),	      cmocka_unit_test(test_spike_harts),
	cmocka_unit_test(test_kernel),	      cmocka_unit_test(test_faults),
	cmocka_unit_test(test_commits),	      cmocka_unit_test(test_both),
	cmocka_unit_test(test_spike_refused), cmocka_unit_test(test_execlog),
	cmocka_unit_test(test_execlog_rest),  cmocka_unit_test(test_execlog_joined),
	cmocka_unit_test(test_qemu),
};

int main(void)
{
	return cmocka_run_group_tests_name("pclog", tests, NULL, NULL);
}
