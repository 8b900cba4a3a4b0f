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

/* Addresses of a CPU as text: "10 12 10". */
static void check_cpu(const struct pclog *log, unsigned cpu, const char *wanted)
{
	static struct logspool_reader reader;
	char text[256] = "";
	uint32_t id;
	int ret;

	logspool_reader_init(&reader, log->spool, cpu);
	while ((ret = logspool_next(&reader, &id, &err)) == 0)
		sprintf(text + strlen(text), "%s%llx", *text ? " " : "",
			(unsigned long long)log->pcs[id - 1]);
	assert_int_equal(ret, WM_END);
	assert_string_equal(text, wanted);
}

static void check(enum pclog_form form, const char *text, const char *wanted)
{
	struct pclog *log;

	assert_int_equal(read_text(&log, form, text), 0);
	assert_int_equal(log->cpus, 1);
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
	      "core   0: exception trap_load_access_fault, epc 0x0000000080000000\n"
	      "core   0:           tval 0x0000000000000000\n"
	      "core   0: 0x80000010 (0xa001) c.j     pc + 0\n"
	      "core   0: >>>>  next\n"
	      "core   0: Executed 3 times\n"
	      "(spike) \n"
	      "core   0: 0x0000000080000014 (0x0000a001) c.j     pc + 0\n",
	      "1000 80000000 80000010 80000010 80000010 80000014");
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
}

static void test_spike_refused(void **state)
{
	(void)state;
	refused(PCLOG_SPIKE, "", "no line of the log");
	refused(PCLOG_SPIKE, "0, 0x10, 0x13, \"nop\"\n", "no line of the log");
	refused(PCLOG_SPIKE,
		"core   0: 3 0x0000000080000000 (0x00000297) x5 0x0000000080000000\n",
		"--log-commits");
	refused(PCLOG_SPIKE, "core   0: Executed 4 times\n", "begins in the middle");
	refused(PCLOG_SPIKE,
		"core   0: 0x10 (0x00000013) nop\ncore   0: Executed 1 times\n",
		"executed no, or far too many times");
	refused(PCLOG_SPIKE,
		"core   0: 0x10 (0x00000013) nop\ncore   0: Executed 999999999 times\n",
		"far too many times");
	refused(PCLOG_SPIKE, "core 1024: 0x10 (0x00000013) nop\n", "too high a number");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spike),	      cmocka_unit_test(test_spike_harts),
		cmocka_unit_test(test_spike_refused), cmocka_unit_test(test_execlog),
		cmocka_unit_test(test_qemu),
	};

	return cmocka_run_group_tests_name("pclog", tests, NULL, NULL);
}
