/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The local symbols of a file, which may share a name with others: programs that need a
 * unique name for each number them.
 */
#ifndef PROGRAM_LOCALS_H
#define PROGRAM_LOCALS_H

#include "program/symbols.h"

struct local {
	char *name;
	uint64_t start;	 /* byte of the file */
	uint32_t number; /* among those of its name, by address, from 1 */
};

struct locals {
	struct local *all; /* [n] by start */
	size_t n;
	bool failed; /* no memory */
};

/*
 * Reads the local symbols of a file; none if it cannot be read. The caller's to
 * locals_fini(); zeros are an empty list.
 */
void locals_read(struct locals *locals, struct symbols *symbols, uint32_t file);
void locals_fini(struct locals *locals);

/*
 * For the symbol that begins at a byte of the file, its number among those of its name,
 * in the order of addresses and from 1; 0: it is not a local symbol.
 */
uint32_t locals_number(const struct locals *locals, uint64_t start);

#endif
