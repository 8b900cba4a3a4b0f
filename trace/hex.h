/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hexadecimal text to numbers, fast: QEMU logs consist of little else. */
#ifndef TRACE_HEX_H
#define TRACE_HEX_H

#include <stdint.h>

/* The value of a digit, plus one; 0 for what is none. */
extern const uint8_t hex_digits[256];

/* The value of a digit; 255 for what is none. */
static inline uint8_t hex_value(char digit)
{
	return (uint8_t)(hex_digits[(uint8_t)digit] - 1);
}

/* Past the digits at `at`. */
static inline const char *hex_span(const char *at, const char *end)
{
	while (at < end && hex_value(*at) < 16)
		at++;
	return at;
}

/* The number at `at`, of which more than 16 digits lose the first; past its digits. */
static inline const char *hex_number(const char *at, const char *end, uint64_t *number)
{
	uint64_t n = 0;
	uint8_t value;

	for (; at < end && (value = hex_value(*at)) < 16; at++)
		n = n << 4 | value;
	*number = n;
	return at;
}

#endif
