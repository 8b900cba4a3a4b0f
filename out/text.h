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
 * Puts ? for what would tell a terminal to do something: control characters but line ends
 * and tabs, in UTF-8 too. Names in a trace come from anywhere.
 */
void text_make_plain(char *text, size_t bytes);
/* The same of a name, which is to stay in its line: line ends and tabs, too. */
void text_make_line(char *text);
/* Prints a name like that; returns its bytes. */
int text_line(FILE *out, const char *text);
/* Prints a name and the end of its line. */
void text_end_line(FILE *out, const char *text);

/*
 * A field of CSV (RFC 4180), quoted when it has to be, with ? for control characters but line
 * ends and tabs.
 */
void text_csv(FILE *out, const char *field);

#endif
