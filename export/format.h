/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registry of outside formats: how what a trace holds is written for other programs and
 * for people. To add a format:
 *
 *  1. write export/NAME.c with a struct that begins with a struct format: insn_format.h,
 *     block_format.h, event_format.h, marks_format.h, cfg_format.h, phases_format.h,
 *     cover_format.h, calls_format.h, mem_format.h and packets_format.h have one for each kind of data, with
 *     the functions that write it;
 *  2. declare it in that header, and give it a row in formats[] of export/formats.c;
 *  3. add its file to meson.build and its line to docs/man/waymark-export.1.scd.
 *
 * Commands, help texts, completion and `waymark export` take it from the registry.
 */
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

/* What a format writes, and so what it needs of a trace. */
enum format_kind {
	FORMAT_INSNS,	/* instructions, in order */
	FORMAT_BLOCKS,	/* blocks, in order */
	FORMAT_EVENTS,	/* events of all threads, by the clock */
	FORMAT_MARKS,	/* markers of the guest */
	FORMAT_CFG,	/* the control-flow graph */
	FORMAT_PHASES,	/* the phases of a thread */
	FORMAT_COVER,	/* coverage */
	FORMAT_CALLS,	/* calls: a profile, or a timeline */
	FORMAT_MEM,	/* instructions with their memory accesses, in order */
	FORMAT_PACKETS, /* processor trace packets */
	FORMAT_KINDS,
};

struct format {
	const char *name; /* no other format of this kind has it */
	enum format_kind kind;
	const char *extension; /* of a file of it, without the dot */
	const char *what;      /* a few words */
	const char *needs;     /* of a recording, in a few words; NULL: nothing */
	bool binary;	       /* a terminal is not sent it */
};

/* All of them, ending with NULL; those of a kind together, the usual one first. */
extern const struct format *const formats[];

/* The word for a kind: also the command that answers with such data. */
const char *format_kind_word(enum format_kind kind);

/* Writes the name that no other format has, such as "insns-csv"; returns `text`. */
#define FORMAT_FULL_NAME 64
const char *format_full_name(const struct format *format, char text[FORMAT_FULL_NAME]);

/*
 * How many formats have that name, of any kind; the first one in *found. A full name is that
 * of one format.
 */
unsigned format_named(const char *name, const struct format **found);

/* The format of that name; NULL: there is none of this kind. */
const struct format *format_find(enum format_kind kind, const char *name);

#define FORMAT_NAMES_MAX 16

/*
 * The names of all formats of a kind, in their order, NULL-terminated. Returns how many
 * there are.
 */
unsigned format_names(enum format_kind kind, const char *names[FORMAT_NAMES_MAX]);

/*
 * "Formats: text (for people), pc (bare addresses).": the line of a kind in help texts. The
 * caller's to free(); NULL: no memory.
 */
char *format_list(enum format_kind kind);

#endif
