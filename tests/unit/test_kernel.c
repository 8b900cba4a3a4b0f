// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel/: calls as they are printed for each machine, and the facts that this machine's own
 * headers know. The numbers of system calls are checked by tests/kernel.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/kernel.h"

/* Opens a FILE whose text is freed by text_of(). */
static char *text;
static size_t text_size;

static FILE *begin(void)
{
	FILE *out = open_memstream(&text, &text_size);

	assert_non_null(out);
	return out;
}

static void check_text(FILE *out, const char *wanted)
{
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

static void check_call(const char *isa, uint64_t number, const uint64_t *args,
		       const char *string, const char *wanted)
{
	FILE *out = begin();

	kernel_print_call(out, kernel_find(isa), number, args, string,
			  string ? strlen(string) : 0);
	check_text(out, wanted);
}

#define CALLED(isa, number, string, wanted, ...)                                      \
	check_call(isa, number, (const uint64_t[KERNEL_ARGS]){ __VA_ARGS__ }, string, \
		   wanted)

static void check_value(const char *isa, uint64_t number, uint64_t value,
			const char *wanted)
{
	FILE *out = begin();

	kernel_print_value(out, kernel_find(isa), number, value);
	check_text(out, wanted);
}

static void test_calls(void **state)
{
	(void)state;
	CALLED("riscv64", 56, "/etc/a \"b\"\n\xff",
	       "openat(AT_FDCWD, \"/etc/a \\\"b\\\"\\n\\377\", O_RDONLY|O_CLOEXEC",
	       (uint64_t)-100, 0x4000, 0x80000);
	CALLED("riscv64", 56, NULL, "openat(3, 0x4000, O_WRONLY|O_CREAT|O_TRUNC, 0644", 3,
	       0x4000, 01101, 0644);
	CALLED("riscv64", 56, NULL, "openat(3, NULL, O_RDWR|O_DIRECTORY", 3, 0, 0x10002);
	CALLED("aarch64", 56, NULL, "openat(3, NULL, O_RDWR|O_DIRECTORY", 3, 0, 0x4002);
	CALLED("x86_64", 2, "x", "open(\"x\", O_RDONLY", 1);
	CALLED("riscv64", 222, NULL,
	       "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0",
	       0, 4096, 3, 0x22, (uint64_t)-1, 0);
	CALLED("riscv64", 226, NULL, "mprotect(0x1000, 8192, PROT_NONE", 0x1000, 8192);
	CALLED("riscv64", 220, NULL,
	       "clone(CLONE_CHILD_CLEARTID|SIGCHLD, 0x1, NULL, NULL, NULL", 0x200011, 1);
	CALLED("riscv64", 98, NULL,
	       "futex(0x10, FUTEX_WAIT|FUTEX_PRIVATE_FLAG, 2, NULL, NULL, 0", 0x10, 0x80,
	       2);
	CALLED("riscv64", 134, NULL, "rt_sigaction(SIGRT_2, 0x1, NULL, 8", 34, 1, 0, 8);
	CALLED("riscv64", 134, NULL, "rt_sigaction(77, NULL, NULL, 0", 77);
	CALLED("riscv64", 258, NULL, "riscv_hwprobe(0x1, 2, 0, NULL, 0", 1, 2);
	CALLED("aarch64", 258, NULL, "syscall_0x102(0x1, 0x2, 0, 0, 0, 0", 1, 2);
	CALLED("vax", 4, NULL, "syscall_0x4(0, 0, 0, 0, 0, 0", 0);
	CALLED("riscv64", 469, NULL, "file_setattr(0, NULL, NULL, 0, 0", 0);
	CALLED("riscv64", UINT64_MAX, NULL, "syscall_0xffffffffffffffff(0, 0, 0, 0, 0, 0",
	       0);
	CALLED("riscv64", 94, NULL, "exit_group(3", 3);
	CALLED("riscv64", 59, NULL, "pipe2(0x10, O_CLOEXEC", 16, 0x80000);
	CALLED("riscv64", 19, NULL, "eventfd2(7, EFD_SEMAPHORE", 7, 1);
	CALLED("riscv64", 180, NULL, "mq_open(NULL, O_RDONLY", 0, 0, 7, 8);
	CALLED("riscv64", 180, NULL, "mq_open(NULL, O_RDONLY|O_CREAT, 07, 0x8", 0, 64, 7,
	       8);
}

/* 64 bits are one register or two, at an even one on Arm. */
static void test_pairs(void **state)
{
	(void)state;
	CALLED("riscv64", 67, NULL, "pread64(3, 0x10, 4, 4294967297", 3, 16, 4,
	       0x100000001);
	CALLED("riscv32", 67, NULL, "pread64(3, 0x10, 4, 8589934593", 3, 16, 4, 1, 2);
	CALLED("arm", 180, NULL, "pread64(3, 0x10, 4, 8589934593", 3, 16, 4, 99, 1, 2);
	CALLED("i386", 180, NULL, "pread64(3, 0x10, 4, -1", 3, 16, 4, (uint64_t)-1,
	       (uint64_t)-1);
	CALLED("riscv32", 222, NULL, "mmap2(0xfffff000, 4294967295, PROT_NONE, 0, 0, 0",
	       (uint64_t)-4096, (uint64_t)-1);
	CALLED("i386", 90, NULL, "old_mmap(0xfffff000", (uint64_t)-4096);
	CALLED("arm", 983045, NULL, "set_tls(0x10", 16);
	CALLED("i386", 403, NULL, "clock_gettime64(CLOCK_MONOTONIC, NULL", 1);
}

static void test_values(void **state)
{
	(void)state;
	check_value("riscv64", 56, 3, "3");
	check_value("riscv64", 56, (uint64_t)-2, "-1 ENOENT (No such file or directory)");
	check_value("riscv32", 56, 0xfffffffe, "-1 ENOENT (No such file or directory)");
	check_value("riscv64", 222, 0x4000800000, "0x4000800000");
	check_value("riscv32", 222, (uint64_t)(int32_t)0xf7000000, "0xf7000000");
	check_value("riscv64", 166, 022, "022");
	check_value("riscv64", 94, 0, "?");
	check_value("riscv64", 139, (uint64_t)-513, "?");
	check_value("riscv64", 63, (uint64_t)-512, "? ERESTARTSYS (To be restarted)");
	check_value("riscv64", 63, (uint64_t)-4095, "-4095");
	check_value("riscv64", 63, (uint64_t)-4096, "-4096");
	check_value("riscv64", 4000, 7, "7");
}

static void test_names(void **state)
{
	char name[KERNEL_NAME];

	(void)state;
	assert_string_equal(kernel_call(kernel_find("riscv64"), 63)->name, "read");
	assert_string_equal(kernel_call(kernel_find("arm"), 3)->name, "read");
	assert_string_equal(kernel_call(kernel_find("x86_64"), 0)->name, "read");
	assert_string_equal(kernel_call(kernel_find("i386"), 3)->name, "read");
	assert_null(kernel_call(kernel_find("i386"), 7777));
	assert_null(kernel_call(kernel_find(NULL), 0));
	assert_int_equal(kernel_error(kernel_find("i386"), 0), 0);
	assert_int_equal(kernel_error(kernel_find("i386"), 0xffffffff), 1);
	assert_int_equal(kernel_error(kernel_find("riscv64"), 0xffffffff), 0);
	assert_int_equal(kernel_error(kernel_find("riscv64"), (uint64_t)-1), 1);
	assert_null(kernel_error_name(0));
	assert_null(kernel_error_name(41));
	assert_null(kernel_error_name(4000));
	assert_null(kernel_signal_name(0, name));
	assert_null(kernel_signal_name(65, name));
	assert_string_equal(kernel_signal_name(64, name), "SIGRT_32");
	assert_string_equal(kernel_signal_code(11, 1), "SEGV_MAPERR");
	assert_string_equal(kernel_signal_code(14, 0x80), "SI_KERNEL");
	assert_string_equal(kernel_signal_code(14, -6), "SI_TKILL");
	assert_null(kernel_signal_code(14, 1));
	assert_true(kernel_signal_has_address(11, 2));
	assert_false(kernel_signal_has_address(11, 0));
	assert_false(kernel_signal_has_address(11, 0x80));
	assert_false(kernel_signal_has_address(14, 1));
}

/* ---- against this machine's headers -------------------------------------- */

#if defined(__x86_64__) || defined(__riscv)

struct fact {
	const char *name;
	long here, ours;
};

/* What 64-bit hosts need no more is another number to them, or the same as something. */
#undef O_LARGEFILE
#undef F_GETLK
#undef F_SETLK
#undef F_SETLKW
#undef F_GETLK64
#undef F_SETLK64
#undef F_SETLKW64
#define O_LARGEFILE 0x8000
#define F_GETLK 5
#define F_SETLK 6
#define F_SETLKW 7
#define F_GETLK64 12
#define F_SETLK64 13
#define F_SETLKW64 14

enum machines { ALL, ARM, NOT_ARM };

#define NUMBER(name) (long)(uint32_t)(name)
#define WORD(machine, set, mask, value, name)         \
	{ #name, (machine) == ARM ? 0 : NUMBER(name), \
	  (machine) == ARM ? 0 : NUMBER(value) },
#define FLAG(set, value, name) { #name, NUMBER(name), NUMBER(value) },
#define ONE(set, value, name) { #name, NUMBER(name), NUMBER(value) },
#define ERROR(number, name) { #name, name, number },
#define SIGNAL(number, name) { #name, name, number },
#define CODE(signal, code, name) { #name, name, code },
static const struct fact facts[] = {
#include "kernel/errors.def"
#include "kernel/signals.def"
#include "kernel/words.def"
};

static void test_headers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (facts[i].here != facts[i].ours)
			fail_msg("%s is %ld, not %ld", facts[i].name, facts[i].here,
				 facts[i].ours);
}

#else

static void test_headers(void **state)
{
	(void)state;
	skip(); /* this machine's numbers may be others */
}

#endif

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_calls),	cmocka_unit_test(test_pairs),
	cmocka_unit_test(test_values),	cmocka_unit_test(test_names),
	cmocka_unit_test(test_headers),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
