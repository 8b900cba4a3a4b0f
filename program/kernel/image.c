// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads files with the names of a kernel that are no ELF files.
 *
 * QEMU's -kernel takes an Image: the kernel's memory from its first byte on, with a
 * header that says neither where it is linked nor any name. Its own table of symbols
 * (kallsyms.h) has both. Distributions ship Images with an empty System.map; whoever
 * builds a kernel has a full one, which has no code but all names.
 *
 * Example: an Image whose `_start` is 0xffffffff80000000 has at byte 0x2000 the code that
 * runs at 0xffffffff80002000.
 *
 * Invariant: at most FILE_BYTES_MAX are read and IMAGE_BYTES_MAX unpacked, and one step
 * more before that is noticed.
 */
#include "program/kernel/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>

#include "program/elf/names.h"
#include "program/elf/search.h"
#include "program/elf/symbols.h"

enum {
	FILE_BYTES_MAX = 1 << 28,
	IMAGE_BYTES_MAX = 1 << 29,
	HEADER_BYTES = 64,
	MAGIC_AT = 0x30, /* "RISCV", of the header of a riscv Image */
	STEP_BYTES = 1 << 20,
};

/* ---- reading --------------------------------------------------------------------- */

static bool is_image(const uint8_t *bytes, size_t n)
{
	return n >= HEADER_BYTES && !memcmp(bytes + MAGIC_AT, "RISCV\0\0\0", 8);
}

/* Any gzip file: what it holds is tested when it is unpacked. */
static bool is_gzip(const uint8_t *bytes, size_t n)
{
	return n >= HEADER_BYTES && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* The first line of a System.map: an address of 16 digits, a type, a name. */
static bool is_map(const uint8_t *bytes, size_t n)
{
	return n > 19 && strspn((const char *)bytes, "0123456789abcdef") == 16 &&
	       bytes[16] == ' ' && bytes[17] > ' ' && bytes[18] == ' ' && bytes[19] > ' ';
}

/*
 * Reads one step more. False at the end of the file, after an error, and beyond the
 * limit.
 */
static bool read_step(struct buf *buf, int fd)
{
	ssize_t n;

	if (!buf_reserve(buf, STEP_BYTES))
		return false;
	n = pread(fd, buf->data + buf->len, STEP_BYTES, (off_t)buf->len);
	if (n <= 0)
		return false;
	buf->len += (size_t)n;
	return buf->len <= FILE_BYTES_MAX;
}

/*
 * Reads all of a file if its first bytes are of a known kind: most files that are
 * examined are of none. The buffer has room for a NUL after the text.
 */
static bool read_file(struct buf *file, int fd)
{
	uint8_t head[HEADER_BYTES + 1] = { 0 };
	ssize_t n = pread(fd, head, HEADER_BYTES, 0);
	size_t bytes = n < 0 ? 0 : (size_t)n;

	if (!is_image(head, bytes) && !is_gzip(head, bytes) && !is_map(head, bytes))
		return false;
	while (read_step(file, fd))
		;
	return !file->failed && file->len <= FILE_BYTES_MAX && buf_reserve(file, 1);
}

/* Unpacks one step more; *status is Z_STREAM_END at the end of a sound file. */
static bool inflate_step(z_stream *stream, struct buf *out, int *status)
{
	if (!buf_reserve(out, STEP_BYTES))
		return false;
	stream->next_out = out->data + out->len;
	stream->avail_out = STEP_BYTES;
	*status = inflate(stream, Z_NO_FLUSH);
	out->len += STEP_BYTES - stream->avail_out;
	return *status == Z_OK && out->len <= IMAGE_BYTES_MAX;
}

/* Unpacks a gzip file. False if it is damaged, too large, or cut. */
static bool unpack(struct buf *out, struct buf *file)
{
	z_stream stream = { .next_in = file->data, .avail_in = (uInt)file->len };
	int status = Z_OK;

	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) /* 16: gzip */
		return false;
	while (inflate_step(&stream, out, &status))
		;
	inflateEnd(&stream);
	return status == Z_STREAM_END && out->len <= IMAGE_BYTES_MAX;
}

/* ---- an Image -------------------------------------------------------------------- */

/*
 * Finds the build id. An Image has no section headers, so its note is searched for by its
 * first words: a name of 4 bytes, the id's 20, type 3, "GNU".
 */
static void find_build_id(const struct kernel_image *image, char *text)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20,	 0,   0,   0,
					3, 0, 0, 0, 'G', 'N', 'U', 0 };
	const uint8_t *at = memmem(image->bytes, image->n_bytes, note, sizeof(note));

	*text = 0;
	if (!at || image->n_bytes - (size_t)(at - image->bytes) < sizeof(note) + 20)
		return;
	for (unsigned i = 0; i < 20; i++)
		sprintf(text + 2 * i, "%02x", at[sizeof(note) + i]);
}

/*
 * Moves the bytes into the image; reads symbols only if `whole`. Without symbols start
 * and end stay 0.
 */
static void take_image(struct kernel_image *image, struct buf *bytes, bool whole)
{
	image->bytes = bytes->data;
	image->n_bytes = bytes->len;
	*bytes = BUF_INIT;
	find_build_id(image, image->build_id);
	if (!whole || !kallsyms_read(&image->symbols, image->bytes, image->n_bytes))
		return;
	/*
	 * Byte 0 of an Image is _start, also called _text; both may be left out of the
	 * table.
	 */
	if (!kernel_symbols_find(&image->symbols, "_start", &image->start) &&
	    !kernel_symbols_find(&image->symbols, "_text", &image->start))
		image->start = image->symbols.all[0].address;
	image->end = image->start;
	/* A hostile address: the end would wrap. */
	if (image->n_bytes <= UINT64_MAX - image->start)
		image->end += image->n_bytes;
}

/* ---- a System.map ---------------------------------------------------------------- */

/* Types of nm(1): text and weak symbols, global or local. */
static bool is_code(char type)
{
	return strchr("tTwW", type);
}

/*
 * Adds the symbol of a line "ADDRESS TYPE NAME"; a malformed line is left out. False: no
 * memory, or too many symbols. strtoull() stops at the NUL after the text at the latest.
 */
static bool take_line(struct kernel_symbols *symbols, const char *line, const char *end)
{
	uint64_t address;
	char *behind;

	address = strtoull(line, &behind, 16);
	if (behind == line || end - behind < 4 || behind[0] != ' ' || behind[2] != ' ')
		return true;
	return kernel_symbols_add(symbols, address, behind[1], behind + 3,
				  (size_t)(end - behind - 3));
}

/*
 * Bounds the code: from the first symbol of code to the end of the last one. Symbols are
 * sorted.
 */
static void bound_code(struct kernel_image *image)
{
	const struct kernel_symbols *symbols = &image->symbols;

	for (uint32_t i = 0; i < symbols->n; i++) {
		if (!is_code(symbols->all[i].type))
			continue;
		if (image->start == image->end)
			image->start = symbols->all[i].address;
		/*
		 * A System.map has no lengths: a symbol ends where the next one begins.
		 */
		image->end = i + 1 < symbols->n ? symbols->all[i + 1].address :
						  symbols->all[i].address;
	}
}

static bool take_map(struct kernel_image *image, const struct buf *text, bool whole)
{
	const char *end = (const char *)text->data + text->len;

	/* A System.map has no build id: a hash of its text tells it from others. */
	snprintf(image->build_id, sizeof(image->build_id), "%016llx",
		 (unsigned long long)XXH3_64bits(text->data, text->len));
	for (const char *at = (const char *)text->data; whole && at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		if (!take_line(&image->symbols, at, line_end))
			return false;
		at = line_end + 1;
	}
	kernel_symbols_sort(&image->symbols);
	bound_code(image);
	return true;
}

/* ---- both ------------------------------------------------------------------------ */

/* Reads any of the three kinds; `whole`: with symbols. False leaves *image empty. */
static bool read_any(struct kernel_image *image, int fd, bool whole)
{
	struct buf file = BUF_INIT, unpacked = BUF_INIT;
	bool good = read_file(&file, fd);

	*image = (struct kernel_image){ .symbols = KERNEL_SYMBOLS_INIT };
	if (good && is_gzip(file.data, file.len)) {
		good = unpack(&unpacked, &file) && is_image(unpacked.data, unpacked.len);
		if (good)
			take_image(image, &unpacked, whole);
	} else if (good && is_image(file.data, file.len)) {
		take_image(image, &file, whole);
	} else if (good) {
		/* read_file() has reserved this byte. */
		file.data[file.len] = 0;
		good = take_map(image, &file, whole);
	}
	buf_fini(&unpacked);
	buf_fini(&file);
	if (!good)
		kernel_image_fini(image);
	return good;
}

bool kernel_image_read(struct kernel_image *image, int fd)
{
	return read_any(image, fd, true);
}

void kernel_image_fini(struct kernel_image *image)
{
	free(image->bytes);
	kernel_symbols_fini(&image->symbols);
	*image = (struct kernel_image){ .symbols = KERNEL_SYMBOLS_INIT };
}

void kernel_build_id(int fd, char text[ELF_BUILD_ID_TEXT])
{
	struct kernel_image image;

	/* An ELF file first: that is the frequent case, and cheap. */
	elf_file_build_id(fd, text);
	if (*text || !read_any(&image, fd, false))
		return;
	strcpy(text, image.build_id);
	kernel_image_fini(&image);
}

/*
 * Which of several names at one address is kept, the least: global before weak before
 * local, and names without a leading underscore first.
 */
static uint8_t worth_of(char type, const char *text)
{
	unsigned order = type == 'T' ? 1 : type == 'w' || type == 'W' ? 2 : 3;

	return (uint8_t)(order << 1 | (text[0] == '_'));
}

/*
 * Adds the names of code, from the last to the first, so that `next` is known: a name
 * ends where the next symbol, of code or data, begins. Several symbols at one address
 * share that end.
 */
static bool add_names(struct names *names, const struct kernel_image *image)
{
	const struct kernel_symbols *symbols = &image->symbols;
	uint64_t next = image->end, start = image->end;

	for (uint32_t i = symbols->n; i-- > 0;) {
		const struct kernel_symbol *symbol = &symbols->all[i];
		const char *text = (const char *)symbols->texts.data + symbol->name;

		if (symbol->address != start)
			next = start;
		start = symbol->address;
		if (is_code(symbol->type) && !names_nothing(text) && next > start &&
		    !names_add(names,
			       &(struct name){ .start = start,
					       .limit = next,
					       .worth = worth_of(symbol->type, text) },
			       text, ""))
			return false;
	}
	return names->n;
}

static bool own_names(struct symtab *symtab, const struct kernel_image *image)
{
	struct names names = { .texts = BUF_INIT };
	bool good = add_names(&names, image) && names_finish(&names, symtab);

	names_fini(&names);
	return good;
}

/*
 * Takes the symbols of the debug file, which are those of the vmlinux. Its segments are
 * dropped: their places in the file are not the Image's.
 */
static bool debug_names(struct symtab *symtab, const char *path, const char *build_id)
{
	int fd = elf_search_debug(-1, path, build_id);
	bool good = fd >= 0 && elf_symbols_read(symtab, fd, path, "");

	if (fd >= 0)
		close(fd);
	if (good)
		free(symtab->segments);
	symtab->segments = NULL;
	symtab->n_segments = 0;
	return good;
}

/* One segment: byte 0 of the file is at image->start. */
static bool put_segment(struct symtab *symtab, const struct kernel_image *image)
{
	symtab->segments = calloc(1, sizeof(*symtab->segments));
	if (!symtab->segments)
		return false;
	symtab->n_segments = 1;
	*symtab->segments = (struct symtab_segment){
		.bytes = image->end - image->start,
		.vaddr = image->start,
		.code = true,
	};
	return true;
}

static bool image_names(struct symtab *symtab, int fd, const char *path,
			const char *build_id)
{
	struct kernel_image image;
	bool good;

	*symtab = SYMTAB_INIT;
	if (!kernel_image_read(&image, fd))
		return false;
	/* Without an address of its code no name can be placed. */
	good = image.end > image.start &&
	       (debug_names(symtab, path, build_id) || own_names(symtab, &image)) &&
	       put_segment(symtab, &image);
	kernel_image_fini(&image);
	if (!good)
		symtab_fini(symtab);
	return good;
}

bool kernel_names_read(struct symtab *symtab, int fd, const char *path,
		       const char *build_id)
{
	return elf_symbols_read(symtab, fd, path, build_id) ||
	       image_names(symtab, fd, path, build_id);
}

size_t kernel_loads(int fd, struct elf_load *loads, size_t room)
{
	/* An ELF file first, as in kernel_build_id(). */
	size_t n = elf_loads(fd, loads, room);
	struct kernel_image image;

	if (n || !kernel_image_read(&image, fd))
		return n;
	n = image.end > image.start;
	if (n && room)
		*loads = (struct elf_load){ image.start, image.end, 0 };
	kernel_image_fini(&image);
	return n;
}
