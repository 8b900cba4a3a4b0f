// SPDX-License-Identifier: GPL-2.0-or-later
/* trace/pclog: what lines of each form say that instructions did. */
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

static struct pclog *log_of(enum pclog_form form, const char *text)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	struct pclog *log;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(pclog_read(&log, form, fd, &err), 0);
	close(fd);
	return log;
}

/* "0 store 4 at 10: dd", with the position of the instruction. */
static void put(char *text, const struct logvalue *value)
{
	static const char *const kinds[] = { "load", "store", "before", "written" };
	const struct wm_access *access = &value->access;

	if (value->unknown) {
		sprintf(text, "%u unknown; ", (unsigned)value->position);
		return;
	}
	text += sprintf(text, "%u %s %u at %llx", (unsigned)value->position,
			kinds[access->kind], access->size,
			(unsigned long long)access->address);
	if (access->has_data)
		text += sprintf(text, ": %llx", (unsigned long long)access->data[0]);
	strcpy(text, "; ");
}

static void check(enum pclog_form form, const char *text, unsigned has,
		  const char *wanted)
{
	struct pclog *log = log_of(form, text);
	static struct pclog_values reader;
	struct logvalue value;
	char got[1024] = "";

	assert_int_equal(log->values.has, has);
	if (log->values.spool) {
		pclog_values_init(&reader, log, 0);
		while (pclog_values_next(&reader, &value, &err) == 0)
			put(got + strlen(got), &value);
	}
	assert_string_equal(got, wanted);
	pclog_free(log);
}

enum {
	LOADS = 1 << WM_ACCESS_LOAD,
	STORES = 1 << WM_ACCESS_STORE,
	WRITTEN = 1 << WM_ACCESS_WRITTEN,
};

/* An access is of the record before it, not of the first one in its line. */
static void test_execlog_joined(void **state)
{
	(void)state;
	check(PCLOG_EXECLOG,
	      "0, 0x10, 0x13, \"nop\"0, 0x14, 0x13, \"lw\", load, 0x40000800, 0x18, 0x13, "
	      "\"sw\", store, 0x50\n",
	      LOADS | STORES, "1 load 0 at 4000080; 2 store 0 at 50; ");
}

static void test_commits(void **state)
{
	(void)state;
	check(PCLOG_SPIKE,
	      "core   0: 0 0x10 (0x0041) x2  0x0000003ffffffb50\n"
	      "core   0: 0 0x12 (0x0041)\n"
	      "core   0: 0 0x14 (0xc63a) mem 0x0000003ffffffb4c 0xdde50a0e\n"
	      "core   0: 0 0x16 (0x4732) x14 0xffffffffdde50a0e mem 0x0000003ffffffb4c\n"
	      "core   0: 0 0x18 (0x58057553) c1_fflags 0x0000000000000001 f10 "
	      "0xffffffff3f8f1bbd\n"
	      "core   0: 0 0x1c (0x08f427af) x15 0x0000000000000001 mem 0x7c630 mem 0x7c630 "
	      "0x00000000\n"
	      "core   0: 0 0x20 (0x00000007) e32 m1 l4 v8 0x0011223344556677 x5 0x01\n",
	      LOADS | STORES | WRITTEN,
	      "0 written 8 at 2: 3ffffffb50; 2 store 4 at 3ffffffb4c: dde50a0e; "
	      "3 written 8 at e: ffffffffdde50a0e; 3 load 0 at 3ffffffb4c: "
	      "ffffffffdde50a0e; 4 written 8 at 40: 1; 4 written 8 at 2a: "
	      "ffffffff3f8f1bbd; 5 written 8 at f: 1; 5 load 0 at 7c630: 1; "
	      "5 store 4 at 7c630: 0; 6 written 1 at 5: 1; ");
}

/* Positions are those of user mode's instructions; an ecall has none of its own. */
static void test_kernel(void **state)
{
	(void)state;
	check(PCLOG_SPIKE,
	      "core   0: 3 0x80000000 (0x00000013) x1 0x0000000000000001\n"
	      "core   0: 0 0x10 (0x00000013) x2 0x0000000000000002\n"
	      "core   0: 1 0x80000010 (0x14202e73) x3 0x0000000000000008\n"
	      "core   0: 1 0x80000014 (0x14102e73) x4 0x0000000000000014\n"
	      "core   0: 1 0x80000018 (0x10200073)\n"
	      "core   0: 0 0x18 (0x00000013) x5 0x0000000000000005\n",
	      WRITTEN, "0 written 8 at 2: 2; 1 unknown; 2 written 8 at 5: 5; ");
	/* Of the program nothing is said: what the kernel did does not count. */
	check(PCLOG_SPIKE,
	      "core   0: 3 0x80000000 (0x00000013) x1 0x0000000000000001\n"
	      "core   0: 0 0x10 (0x00000013)\n",
	      0, "");
	check(PCLOG_SPIKE, "core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n",
	      0, "");
}

static void test_execlog(void **state)
{
	(void)state;
	check(PCLOG_EXECLOG,
	      "0, 0x10556, 0x6422, \"ld s0,8(sp)\", load, 0x4000800508, RAM, fp -> "
	      "0x0000000000000001\n"
	      "0, 0x10558, 0x00a58033, \"add zero,a1,a0\"\n"
	      "0, 0x1055c, 0x13, \"nop\", store, 0x08, RAM, rax -> 0x0000000000000004, ft0 -> "
	      "0x0000000000000009, v0 -> 0x00000000000000000000000000000009\r\n"
	      "0, 0x10560, 0x73, \"ecall\", a0 -> 0x0000000000000007\n",
	      LOADS | STORES | WRITTEN,
	      "0 load 0 at 4000800508; 0 written 8 at 8: 1; 2 store 0 at 8; "
	      "2 written 8 at 20: 9; 3 unknown; ");
}

/* Registers of other ISAs have other names. */
static void test_execlog_isa(void **state)
{
	static const char text[] = "0, 0x10, 0x6422, \"ldr\", load, 0x08, sp -> "
				   "0x0000000000000001, x1 -> 0x0000000000000002\n"
				   "0, 0x14, 0xd4000001, \"svc #0\", x0 -> "
				   "0x0000000000000007\n";
	int fd = memfd_create("log", MFD_CLOEXEC);
	static struct pclog_values reader;
	struct logvalue value;
	struct pclog *log;
	char got[256] = "";

	(void)state;
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(pclog_read_of(&log, PCLOG_EXECLOG, "aarch64", fd, &err), 0);
	close(fd);
	pclog_values_init(&reader, log, 0);
	while (pclog_values_next(&reader, &value, &err) == 0)
		put(got + strlen(got), &value);
	assert_string_equal(got,
			    "0 load 0 at 8; 0 written 8 at 1f: 1; 0 written 8 at 1: 2; "
			    "1 unknown; ");
	pclog_free(log);
}

/* Steps between positions that no word has room for. */
static void test_far(void **state)
{
	struct logvalues values = { .has = 0 };
	const struct wm_access access = { .address = 7,
					  .kind = WM_ACCESS_STORE,
					  .size = 16 };
	static const uint64_t positions[] = { 3, 0xfffffe, 0x2fffffd, 0x5000000000 };
	static struct logvalues_reader reader;
	struct logvalue value;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(logvalues_add(&values, 2, positions[i],
					       i == 2 ? NULL : &access, &err),
				 0);
	logvalues_reader_init(&reader, &values, 2);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(logvalues_next(&reader, &value, &err), 0);
		assert_int_equal(value.position, positions[i]);
		assert_int_equal(value.unknown, i == 2);
		assert_int_equal(value.access.size, i == 2 ? 0 : 16);
	}
	assert_int_equal(logvalues_next(&reader, &value, &err), WM_END);
	logvalues_fini(&values);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_commits), cmocka_unit_test(test_kernel),
	cmocka_unit_test(test_execlog), cmocka_unit_test(test_execlog_isa),
	cmocka_unit_test(test_far),	cmocka_unit_test(test_execlog_joined),
};

int main(void)
{
	return cmocka_run_group_tests_name("pclog_values", tests, NULL, NULL);
}
