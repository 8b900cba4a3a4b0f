// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors and signals have the same numbers in every guest that is recorded. An error's
 * text is the host's strerror() of the host's number, which may differ from the guest's.
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
	snprintf(text, KERNEL_NAME, "SIGRT_%u", (unsigned)(number - SIGNAL_REAL_TIME));
	return text;
}

const char *kernel_signal_code(uint64_t number, int32_t code)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].code == code &&
		    (!codes[i].signal || codes[i].signal == number))
			return codes[i].name;
	return NULL;
}

bool kernel_signal_has_address(uint64_t number, int32_t code)
{
	enum { ILL = 4, TRAP = 5, BUS = 7, FPE = 8, SEGV = 11, BY_KERNEL = 0x80 };
	bool faults = number == ILL || number == TRAP || number == BUS || number == FPE ||
		      number == SEGV;

	return faults && code > 0 && code < BY_KERNEL;
}
