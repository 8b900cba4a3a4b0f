/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people write and read them. */
#ifndef OUT_NUMBER_H
#define OUT_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT = 32 };

/* A whole decimal or 0x number, and nothing else; false: `text` is no number. */
bool number_parse(const char *text, uint64_t *value);
/* The same, or with a suffix k (or K), M or G: thousands, millions, billions. */
bool number_parse_bytes(const char *text, uint64_t *value);

/* Fills in text[NUMBER_TEXT] with the digits alone; returns how many there are. */
size_t number_digits(char *text, uint64_t value);
/* These fill in and return text[NUMBER_TEXT]. */
const char *number_address(char *text, uint64_t address); /* 0x10400 */
const char *number_grouped(char *text, uint64_t value);	  /* 1,234,567 */
const char *number_real(char *text, double value);	  /* 1,234.50 */
const char *number_double(char *text,
			  double value); /* 1e-09, which reads back as it is */
const char *number_bytes(char *text, uint64_t bytes);	/* 512 bytes, 1.2 MB */
const char *number_seconds(char *text, double seconds); /* 0.012 s, 3.4 s, 5 min 7 s */
/* Bits of file per instruction, to three digits that count. */
const char *number_ratio(char *text, uint64_t file_bytes, uint64_t insns);

#endif
