/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A streaming JSON writer: values go to a FILE as they come, in the caller's order.
 *
 * Inside an object every value has a key; inside an array, and at the top, the key is
 * NULL. Nothing is kept, so nothing fails but the FILE: check ferror() at the end.
 */
#ifndef OUT_JSON_H
#define OUT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH = 32 };

struct json {
	FILE *out;		  /* the caller's */
	bool indented;		  /* one value a line, for people; else no white space */
	bool empty;		  /* nothing yet at this depth */
	unsigned depth;		  /* open objects and arrays, JSON_DEPTH at most */
	char closers[JSON_DEPTH]; /* '}' or ']' for each of them */
};

void json_init(struct json *json, FILE *out, bool indented);

void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
/* Closes the innermost object or array; the outermost also ends its line. */
void json_close(struct json *json);

/* Bytes that are not UTF-8 become U+FFFD. NULL is written as null. */
void json_string(struct json *json, const char *key, const char *value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_int(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
/* `digits` after the point; infinities and NaN, which JSON lacks, become null. */
void json_real(struct json *json, const char *key, double value, int digits);
/* The same with all digits that the value has. */
void json_double(struct json *json, const char *key, double value);

/* One quoted and escaped string, for those who write the rest themselves. */
void json_quote(FILE *out, const char *text);

#endif
