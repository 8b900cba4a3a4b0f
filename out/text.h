/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small pieces of text output: disassembly for people, fields of CSV. */
#ifndef OUT_TEXT_H
#define OUT_TEXT_H

#include <stdio.h>

/*
 * QEMU's disassembly without its wide columns: the mnemonic in `column` places (0: one
 * blank after it), the rest with single blanks, and two before a comment (#).
 */
void text_disas(FILE *out, const char *disas, unsigned column);
/* The same as a string, the caller's to free(). NULL: no memory. */
char *text_disas_new(const char *disas, unsigned column);

/*
 * Replaces by ? every control character except newlines and tabs, also those that are two
 * bytes in UTF-8, because terminals act on them. Names in a trace come from anywhere.
 */
void text_make_plain(char *text, size_t bytes);
/*
 * The same for a name, which must stay in its line: newlines and tabs are replaced too.
 */
void text_make_line(char *text);
/* Prints a name cleaned in this way; returns its bytes. */
int text_line(FILE *out, const char *text);
/* Prints a name and the end of its line. */
void text_end_line(FILE *out, const char *text);

/*
 * Prints a field of CSV (RFC 4180), quoted when necessary, with ? for control characters
 * except newlines and tabs.
 */
void text_csv(FILE *out, const char *field);
/* The same where fields are separated by something else than a comma. */
void text_separated(FILE *out, const char *field, const char *separator);

/* Joins words[] (NULL-terminated) for a sentence into text[size]: "function, block or line". */
void text_join(char *text, size_t size, const char *const *words);

#endif
