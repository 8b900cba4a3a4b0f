// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words of a line of execlog after the instruction's text, parted by commas: "load" or
 * "store" and an address, the name of a device, or a register with its new value. The names
 * of registers are those that QEMU gives gdb; "fp" is s0 there. Registers that have no number,
 * those of 128 bits and devices are passed.
 */
#include "trace/execline.h"

#include "isa/registers.h"
#include "trace/logwords.h"

enum { DIGITS_MOST = 16 };

const char *execline_done(const char *at, const char *end)
{
	const char *quote = memrchr(at, '"', (size_t)(end - at));

	return quote ? quote + 1 : end;
}

/* The number of a register; UINT64_MAX: it has none. */
static uint64_t register_of(const char *at, size_t bytes, const char *isa)
{
	char name[8];
	int number;

	if (bytes >= sizeof(name))
		return UINT64_MAX;
	memcpy(name, at, bytes);
	name[bytes] = 0;
	number = register_number(isa, name);
	/* No recording has what instructions write to those of machines. */
	return number < 0 || register_is_privileged(isa, (unsigned)number) ?
		       UINT64_MAX :
		       (uint64_t)number;
}

/* "a0 -> 0x0000000000000001" */
static const char *read_register(const char *at, const char *end, const char *isa,
				 struct wm_access *access)
{
	const char *blank = memchr(at, ' ', (size_t)(end - at));
	const char *value = blank ? log_word(blank, end, " -> ") : NULL;
	const char *behind = value ? log_address(value, end, &access->data[0]) : NULL;
	size_t digits = behind ? (size_t)(behind - value - 2) : 0;

	access->kind = WM_ACCESS_WRITTEN;
	access->address = blank ? register_of(at, (size_t)(blank - at), isa) : UINT64_MAX;
	access->size = (uint8_t)(digits / 2);
	access->has_data = true;
	/* Sizes are powers of two in what follows. */
	return (digits == DIGITS_MOST || digits == DIGITS_MOST / 2) &&
			       access->address != UINT64_MAX ?
		       behind :
		       NULL;
}

static const char *read_one(const char *at, const char *end, const char *isa,
			    struct wm_access *access)
{
	const char *load = log_word(at, end, "load, ");
	const char *store = log_word(at, end, "store, ");

	*access = (struct wm_access){ .kind = store ? WM_ACCESS_STORE : WM_ACCESS_LOAD };
	if (load || store)
		return log_address(load ? load : store, end, &access->address);
	return read_register(at, end, isa, access);
}

const char *execline_next(const char *at, const char *end, const char *isa,
			  struct wm_access *access)
{
	while ((at = memchr(at, ',', (size_t)(end - at)))) {
		const char *behind;

		at = log_blanks(at + 1, end);
		behind = read_one(at, end, isa, access);
		if (behind)
			return behind;
	}
	return NULL;
}
