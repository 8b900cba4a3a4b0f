// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints a system call in C syntax, as strace does. calls.def has a letter for each
 * argument: how its register is printed. A trace has registers only, and one
 * string.
 *
 * Example: openat has "FsoM": with -100, "a" and 0 it is openat(AT_FDCWD, "a", O_RDONLY;
 * the M, a mode, is only printed when the flags create a file. On a 32-bit machine the
 * letter L takes two registers, low half first; on arm these begin at an even one, so one
 * register may be skipped.
 */
#include "kernel/kernel.h"

#include <inttypes.h>

#include "kernel/machine.h"

enum { O_CREAT_BIT = 0x40, O_TMPFILE_BIT = 0x400000, NEAR_DIRECTORY = -100 };

/* The arguments of a call, while they are printed. */
struct taking {
	FILE *out;
	const struct machine *machine;
	const uint64_t *args;
	unsigned next;	    /* of args[] */
	const char *string; /* NULL after it was printed */
	size_t bytes;
	uint64_t flags; /* of the last letter o */
};

static void print_string(FILE *out, const char *string, size_t bytes)
{
	putc('"', out);
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)string[i];

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\t')
			fputs("\\t", out);
		/*
		 * Octal with three digits: a digit that follows cannot be taken for a
		 * part of it.
		 */
		else if (c < ' ' || c >= 0x7f)
			fprintf(out, "\\%03o", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void print_pointer(FILE *out, uint64_t value)
{
	if (value)
		fprintf(out, "0x%" PRIx64, value);
	else
		fputs("NULL", out);
}

static void print_signal(FILE *out, uint64_t value)
{
	char text[KERNEL_NAME];
	const char *name = kernel_signal_name(value, text);

	if (name)
		fputs(name, out);
	else
		fprintf(out, "%" PRId32, (int32_t)value);
}

static void print_folder(FILE *out, int32_t fd)
{
	if (fd == NEAR_DIRECTORY)
		fputs("AT_FDCWD", out);
	else
		fprintf(out, "%" PRId32, fd);
}

/* Prints a register by its letter; other letters are sets of words.def. */
static void print_register(FILE *out, const struct machine *machine, char letter,
			   uint64_t value)
{
	switch (letter) {
	/*
	 * Registers of a 64-bit guest hold an int with any upper half; the kernel ignores
	 * it.
	 */
	case 'd':
	case 'f':
		fprintf(out, "%" PRId32, (int32_t)value);
		break;
	case 'u':
		fprintf(out, "%" PRIu32, (uint32_t)value);
		break;
	case 'l':
		fprintf(out, "%" PRId64, machine_signed(machine, value));
		break;
	case 'z':
		fprintf(out, "%" PRIu64, machine_word(machine, value));
		break;
	case 'm':
	case 'M':
		fprintf(out, "%#" PRIo32, (uint32_t)value);
		break;
	case 'p':
	case 's':
		print_pointer(out, machine_word(machine, value));
		break;
	case 'F':
		print_folder(out, (int32_t)value);
		break;
	case 'g':
		print_signal(out, machine_word(machine, value));
		break;
	default:
		if (!words_print(out, letter, machine, (uint32_t)value))
			fprintf(out, "%#" PRIx64, machine_word(machine, value));
	}
}

/* The next argument's register; those after the sixth are not recorded. */
static uint64_t take(struct taking *taking)
{
	return taking->next < KERNEL_ARGS ? taking->args[taking->next++] : 0;
}

/* 64 bits, low half first. */
static int64_t take_long(struct taking *taking)
{
	uint64_t low;

	if (taking->machine->bits == 64)
		return (int64_t)take(taking);
	if (taking->machine->even_pairs)
		taking->next += taking->next % 2;
	low = (uint32_t)take(taking);
	return (int64_t)(low | take(taking) << 32);
}

static void print_argument(struct taking *taking, char letter)
{
	uint64_t value;

	if (letter == 'L') {
		fprintf(taking->out, "%" PRId64, take_long(taking));
		return;
	}
	value = take(taking);
	/* Flags of open(), which decide whether a mode follows. */
	if (letter == 'o')
		taking->flags = value;
	/*
	 * A trace has one string per call: the first string argument's. Later ones are
	 * printed as pointers.
	 */
	if (letter == 's' && taking->string && value) {
		print_string(taking->out, taking->string, taking->bytes);
		taking->string = NULL;
	} else {
		print_register(taking->out, taking->machine, letter, value);
	}
}

/* The last letter: after it nothing is printed, as the kernel reads nothing. */
static bool is_meant(const struct taking *taking, char letter)
{
	return letter != 'M' || taking->flags & (O_CREAT_BIT | O_TMPFILE_BIT);
}

void kernel_print_call(FILE *out, const struct kernel *kernel, uint64_t number,
		       const uint64_t args[KERNEL_ARGS], const char *string, size_t bytes)
{
	const struct call *call = kernel_call(kernel, number);
	/* An unknown call is printed with its six registers in hexadecimal. */
	const char *takes = call ? call->takes : "xxxxxx";
	struct taking taking = { out, kernel_machine(kernel), args, 0, string, bytes, 0 };
	char text[KERNEL_NAME];

	fprintf(out, "%s(", kernel_call_name(kernel, number, text));
	for (unsigned i = 0; takes[i] && is_meant(&taking, takes[i]); i++) {
		if (i)
			fputs(", ", out);
		print_argument(&taking, takes[i]);
	}
}

const char *kernel_call_name(const struct kernel *kernel, uint64_t number, char *text)
{
	const struct call *call = kernel_call(kernel, number);

	if (call)
		return call->name;
	snprintf(text, KERNEL_NAME, "syscall_0x%" PRIx64,
		 machine_word(kernel_machine(kernel), number));
	return text;
}

/* QEMU's internal results: the call is restarted, or ends a signal handler. */
static const char *unreturned(unsigned error)
{
	enum { RESTART = 512, END_OF_HANDLER = 513 };

	/* QEMU's own numbers, above all errors that a guest can get. */
	return error == RESTART	       ? "? ERESTARTSYS (To be restarted)" :
	       error == END_OF_HANDLER ? "?" :
					 NULL;
}

void kernel_print_value(FILE *out, const struct kernel *kernel, uint64_t number,
			uint64_t value)
{
	const struct machine *machine = kernel_machine(kernel);
	const struct call *call = kernel_call(kernel, number);
	char letter = call ? call->returns : 'l';
	unsigned error = kernel_error(kernel, value);
	const char *name = kernel_error_name(error);

	/* Calls that do not return: a result would be meaningless. */
	if (letter == 'N' || letter == 'Q')
		putc('?', out);
	else if (unreturned(error))
		fputs(unreturned(error), out);
	else if (error && name)
		fprintf(out, "-1 %s (%s)", name, kernel_error_text(error));
	else if (letter == 'p')
		fprintf(out, "%#" PRIx64, machine_word(machine, value));
	else
		print_register(out, machine, letter, value);
}
