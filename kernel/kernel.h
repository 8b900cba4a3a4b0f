/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for what a guest and its kernel exchange: system calls, their arguments and
 * results, errors, signals. The numbers are Linux's for the guest's machine, and are in
 * the .def files.
 */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { KERNEL_ARGS = 6 };

/* One machine's numbers; static. */
struct kernel;

/* By QEMU's name of the guest ISA; for an unknown one, a kernel without any names. */
const struct kernel *kernel_find(const char *isa);

struct call {
	const char *name;
	char returns;	   /* a letter of calls.def */
	const char *takes; /* a letter for each argument */
};

/* NULL for a number that has no name. */
const struct call *kernel_call(const struct kernel *kernel, uint64_t number);
/* The number of the call of that name; -1 when the machine has none. */
int32_t kernel_number(const struct kernel *kernel, const char *name);
/* Which argument is the first pointer to a string; -1 when none is. */
int kernel_string(const struct kernel *kernel, uint64_t number);

/* All calls of all machines, by index from 0; NULL after the last. */
const struct call *kernel_call_at(size_t index);

/* The name of a system call, or "syscall_0x1f4" in text[KERNEL_NAME] if it has none. */
enum { KERNEL_NAME = 32 };
const char *kernel_call_name(const struct kernel *kernel, uint64_t number, char *text);

/*
 * Prints "name(arguments" without the closing parenthesis. When `string` is not NULL it
 * is what the first pointer to a string pointed at, of `bytes` bytes.
 */
void kernel_print_call(FILE *out, const struct kernel *kernel, uint64_t number,
		       const uint64_t args[KERNEL_ARGS], const char *string,
		       size_t bytes);

/*
 * What the call returned: "3", "0x4000800000", "-1 ENOENT (No such file or directory)".
 */
void kernel_print_value(FILE *out, const struct kernel *kernel, uint64_t number,
			uint64_t value);

/* A register as a signed number. */
int64_t kernel_signed(const struct kernel *kernel, uint64_t value);

/* The error number in a call's result, from 1; 0: no error. */
unsigned kernel_error(const struct kernel *kernel, uint64_t value);
/* "ENOENT"; NULL for a number that has no name. */
const char *kernel_error_name(unsigned error);
/* What it means: "No such file or directory". */
const char *kernel_error_text(unsigned error);

/* "SIGSEGV"; NULL for a number that is no signal. `text` is as above. */
const char *kernel_signal_name(uint64_t number, char *text);
/* "SEGV_MAPERR"; NULL for a code that has no name. */
const char *kernel_signal_code(uint64_t number, int32_t code);

/* Whether the signal has a fault address: an instruction raised it. */
bool kernel_signal_has_address(uint64_t number, int32_t code);

#endif
