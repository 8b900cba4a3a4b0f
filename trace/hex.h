/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hexadecimal text to numbers, fast: QEMU logs consist of little else. */
#ifndef TRACE_HEX_H
#define TRACE_HEX_H

#include <stdint.h>

/* The value of a digit plus 1; 0 for other characters. */
extern const uint8_t hex_digits[256];

/* The value of a digit; 255 for other characters. */
static inline uint8_t hex_value(char digit)
{
	return (uint8_t)(hex_digits[(uint8_t)digit] - 1);
}

/* Returns the position after the digits at `at`. */
static inline const char *hex_span(const char *at, const char *end)
{
	while (at < end && hex_value(*at) < 16)
		at++;
	return at;
}

/*
 * Reads the hexadecimal number at `at` and returns the position after it. Of more than 16
 * digits the first ones are lost.
 */
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
