// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drcov, version 2: lines of text up to the table of blocks, which is binary.
 *
 *	DRCOV VERSION: 2
 *	DRCOV FLAVOR: drcov-64
 *	Module Table: version 2, count 1
 *	Columns: id, base, end, entry, path
 *	0, 0x0000000000010000, 0x0000000000012000, 0x0000000000000000, /bin/true
 *	BB Table: 2 bbs
 *
 *	block:  0       4      6        8
 *		| start | size | module |	start: bytes from the module's base
 *
 * The header says how many blocks follow, so those that do not fit its fields are counted
 * out first.
 */
#include "export/cover_format.h"

#include <inttypes.h>

#include "base/buf.h"

enum { ENTRY_BYTES = 8, MODULES_MAX = 1 << 16 };

/* Whether the fields of the format are wide enough for a block. */
static bool fits(const struct cover_block *block)
{
	return block->module < MODULES_MAX && block->image_off <= UINT32_MAX;
}

static void put_modules(FILE *out, const struct cover *cover)
{
	uint32_t n = cover->n_modules < MODULES_MAX ? cover->n_modules : MODULES_MAX;

	fprintf(out, "Module Table: version 2, count %" PRIu32 "\n", n);
	fputs("Columns: id, base, end, entry, path\n", out);
	for (uint32_t i = 0; i < n; i++) {
		const struct cover_module *module = &cover->modules[i];

		fprintf(out, "%" PRIu32 ", 0x%016" PRIx64 ", 0x%016" PRIx64 ", 0x%016x, ",
			i, module->base, module->base + module->image_bytes, 0);
		for (const char *at = module->path; *at; at++)
			putc(*at == '\n' ? '?' : *at, out);
		putc('\n', out);
	}
}

static void put_block(FILE *out, const struct cover_block *block)
{
	uint32_t bytes = block->bytes < UINT16_MAX ? block->bytes : UINT16_MAX;
	uint8_t entry[ENTRY_BYTES];

	put_u32(put_u32(entry, (uint32_t)block->image_off), bytes | block->module << 16);
	fwrite(entry, 1, sizeof(entry), out);
}

static int write_drcov(FILE *out, const struct cover *cover, struct wm_error *err)
{
	uint32_t n = 0;

	(void)err;
	for (uint32_t i = 0; i < cover->n_blocks; i++)
		n += fits(&cover->blocks[i]);
	fputs("DRCOV VERSION: 2\nDRCOV FLAVOR: drcov-64\n", out);
	put_modules(out, cover);
	fprintf(out, "BB Table: %" PRIu32 " bbs\n", n);
	for (uint32_t i = 0; i < cover->n_blocks; i++)
		if (fits(&cover->blocks[i]))
			put_block(out, &cover->blocks[i]);
	return 0;
}

const struct cover_format cover_drcov = {
	.format = { "drcov", FORMAT_COVER, "drcov", "as DynamoRIO's drcov writes it",
		    .binary = true },
	.write = write_drcov,
};
