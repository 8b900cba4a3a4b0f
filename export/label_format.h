/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bytecode of a managed program an instruction or a block is of, in its line. */
#ifndef EXPORT_LABEL_FORMAT_H
#define EXPORT_LABEL_FORMAT_H

#include <stdint.h>
#include <stdio.h>

struct line_label {
	const char *method, *detail; /* the name, and its signature or "" */
	const char *opcode;	     /* NULL: its name is not known */
	uint32_t offset, line;	     /* line 0: not known */
	char mark;		     /* how it is known, as in `bytecodes` */
	const char *note;	     /* the same as a word; "": it was fetched */
};

/* What must have run in a gap. */
struct line_gap {
	const char *why;  /* it is not known: "several ways"; NULL: there is one way, */
	uint64_t between; /* of so many bytecodes */
};

struct line_labels {
	const char *
		columns; /* for the header of a listing, with a comma before them; or NULL */
	unsigned column; /* of the line's text, behind which a label stands */
	/* At the end of the line. NULL: there is no bytecode. */
	void (*print)(FILE *out, const struct line_label *label);
	/* At the end of a gap's line; with columns, in the last one. As snprintf() does. */
	int (*gap)(char *text, size_t size, const struct line_gap *gap);
};

extern const struct line_labels labels_insn_text, labels_block_text, labels_csv,
	labels_jsonl;

#endif
