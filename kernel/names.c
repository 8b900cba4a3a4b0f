// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors and signals have the same numbers in every guest that is recorded: riscv, ARM
 * and x86 all use Linux's generic ones (MIPS, Alpha and SPARC do not). An error's text is
 * the host's strerror() of the host's number, which may differ from the guest's.
 *
 * Example: 110 is ETIMEDOUT in these guests. Its text is strerror(ETIMEDOUT) with
 * whatever value the host's <errno.h> gives the name.
 *
 * Tables are arrays by number; names that a table lacks are NULL.
 */
#include "kernel/kernel.h"

#include <errno.h>
#include <string.h>

enum { ERROR_MOST = 4095, SIGNAL_REAL_TIME = 32, SIGNAL_MOST = 64 };

#define ERROR(number, name) [number] = { #name, name },
static const struct error {
	const char *name;
	int host;
} errors[] = {
#include "kernel/errors.def"
};
#undef ERROR

#define SIGNAL(number, name) [number] = #name,
#define CODE(signal, code, name)
static const char *const signals[] = {
#include "kernel/signals.def"
};
#undef SIGNAL
#undef CODE

#define SIGNAL(number, name)
#define CODE(signal, code, name) { signal, code, #name },
static const struct code {
	unsigned signal;
	int32_t code;
	const char *name;
} codes[] = {
#include "kernel/signals.def"
};
#undef SIGNAL
#undef CODE

unsigned kernel_error(const struct kernel *kernel, uint64_t value)
{
	int64_t returned = kernel_signed(kernel, value);

	/*
	 * The kernel's own rule: results from -4095 to -1 are errors, everything else is
	 * a value. mmap() may return addresses that are negative as signed numbers.
	 */
	return returned < 0 && returned >= -ERROR_MOST ? (unsigned)-returned : 0;
}

static const struct error *find_error(unsigned error)
{
	if (error >= sizeof(errors) / sizeof(*errors) || !errors[error].name)
		return NULL;
	return &errors[error];
}

const char *kernel_error_name(unsigned error)
{
	const struct error *known = find_error(error);

	return known ? known->name : NULL;
}

const char *kernel_error_text(unsigned error)
{
	const struct error *known = find_error(error);

	return known ? strerror(known->host) : "an error without a name";
}

const char *kernel_signal_name(uint64_t number, char *text)
{
	if (number && number < SIGNAL_REAL_TIME)
		return signals[number];
	if (!number || number > SIGNAL_MOST)
		return NULL;
	/* Real-time signals have no names of their own; strace counts from 32, too. */
	snprintf(text, KERNEL_NAME, "SIGRT_%u", (unsigned)(number - SIGNAL_REAL_TIME));
	return text;
}

const char *kernel_signal_code(uint64_t number, int32_t code)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].code == code &&
		    /*
		     * Signal 0 in a row: a code such as SI_USER, which any signal may
		     * have.
		     */
		    (!codes[i].signal || codes[i].signal == number))
			return codes[i].name;
	return NULL;
}

bool kernel_signal_has_address(uint64_t number, int32_t code)
{
	/* Positive codes are the kernel's reasons; SI_KERNEL (0x80) has no address. */
	enum { ILL = 4, TRAP = 5, BUS = 7, FPE = 8, SEGV = 11, BY_KERNEL = 0x80 };
	bool faults = number == ILL || number == TRAP || number == BUS || number == FPE ||
		      number == SEGV;

	return faults && code > 0 && code < BY_KERNEL;
}
