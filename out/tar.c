// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Archives in the layout of POSIX's ustar: a header of 512 bytes with numbers as octal text,
 * the file filled up to a multiple of 512, and at the end two empty blocks. Owners and times
 * are 0, so equal files make equal archives.
 */
#include "out/tar.h"

#include <string.h>

enum { TAR_BLOCK = 512, NAME_MOST = 100 };

void tar_put(FILE *out, const char *name, struct buf *file)
{
	static const char zeros[TAR_BLOCK];
	char header[TAR_BLOCK] = "";
	unsigned sum = 0;

	snprintf(header, NAME_MOST, "%s", name);
	strcpy(header + 100, "0000644");
	strcpy(header + 108, "0000000");
	strcpy(header + 116, "0000000");
	snprintf(header + 124, 12, "%011zo", file->len);
	strcpy(header + 136, "00000000000");
	/* While the sum is made, its field is blanks. */
	memset(header + 148, ' ', 8);
	header[156] = '0';
	memcpy(header + 257, "ustar\00000", 8);
	for (unsigned i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)header[i];
	snprintf(header + 148, 8, "%06o", sum);
	fwrite(header, 1, TAR_BLOCK, out);
	if (file->len) /* an empty one has no bytes to point at */
		fwrite(file->data, 1, file->len, out);
	fwrite(zeros, 1, -file->len % TAR_BLOCK, out);
	file->len = 0;
}

void tar_end(FILE *out)
{
	static const char end[2 * TAR_BLOCK];

	fwrite(end, 1, sizeof(end), out);
}
