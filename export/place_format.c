// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Listings name functions as the programmer wrote them. Formats for machines have a column for
 * the symbol and print it as the file has it.
 */
#include "export/place_format.h"

#include <inttypes.h>
#include <stdlib.h>

#include "out/text.h"
#include "program/demangle.h"

static int print_symbol(FILE *out, const char *symbol)
{
	char *name = demangle(symbol);
	int printed = text_line(out, name ? name : symbol);

	free(name);
	return printed;
}

static int print_module(FILE *out, const char *module)
{
	return fprintf(out, "[") + text_line(out, module) + fprintf(out, "]");
}

int place_print(FILE *out, const char *symbol, const char *module, uint64_t offset)
{
	int printed;

	if (!symbol && !module)
		return fprintf(out, "-");
	printed = symbol ? print_symbol(out, symbol) : print_module(out, module);
	if (symbol && !offset)
		return printed;
	return printed + fprintf(out, "+0x%" PRIx64, offset);
}
