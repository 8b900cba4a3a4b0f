// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads files with the names of a kernel that are no ELF files.
 *
 * QEMU's -kernel takes an Image: the kernel's memory from its first byte on, with a
 * header that says neither where it is linked nor any name. Its own table of symbols
 * (kallsyms.h) has both. Distributions ship Images with an empty System.map; whoever
 * builds a kernel has a full one, which has no code but all names. What x86 boots has the
 * kernel in it (bzimage.h).
 *
 * Example: an Image whose `_start` is 0xffffffff80000000 has at byte 0x2000 the code that
 * runs at 0xffffffff80002000.
 *
 * Invariant: at most FILE_BYTES_MAX are read, and one step more before that is noticed.
 */
#include "program/kernel/image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "program/elf/names.h"
#include "program/elf/search.h"
#include "program/elf/symbols.h"
#include "program/kernel/bzimage.h"
#include "program/kernel/unpack.h"

enum {
	FILE_BYTES_MAX = 1 << 28,
	HEADER_BYTES = 64,
	RISCV_AT = 0x30, /* "RISCV", of the header of a riscv Image */
	ARM64_AT = 0x38, /* "ARM\x64", of an arm64 one */
	STEP_BYTES = 1 << 20,
	PAGE_BYTES = 4096,
};

/* ---- reading --------------------------------------------------------------------- */

/* The ISA of an Image, by its header; NULL: the bytes are no Image. */
static const char *image_isa(const uint8_t *bytes, size_t n)
{
	if (n < HEADER_BYTES)
		return NULL;
	return !memcmp(bytes + RISCV_AT, "RISCV\0\0\0", 8) ? "riscv64" :
	       !memcmp(bytes + ARM64_AT, "ARM\x64", 4)	   ? "aarch64" :
							     NULL;
}

static bool is_image(const uint8_t *bytes, size_t n)
{
	return image_isa(bytes, n);
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
	uint8_t head[BZIMAGE_HEAD_BYTES + 1] = { 0 };
	ssize_t n = pread(fd, head, BZIMAGE_HEAD_BYTES, 0);
	size_t bytes = n < 0 ? 0 : (size_t)n;

	if (!is_image(head, bytes) && !unpack_is_gzip(head, bytes) &&
	    !bzimage_is(head, bytes) && !is_map(head, bytes))
		return false;
	while (read_step(file, fd))
		;
	return !file->failed && file->len <= FILE_BYTES_MAX && buf_reserve(file, 1);
}

/* ---- an Image -------------------------------------------------------------------- */

/* Whether the page of a place begins an ELF file: a vDSO, which has a note of its own. */
static bool in_elf_page(const struct kernel_image *image, size_t off)
{
	const uint8_t *page = image->bytes + (off & ~((size_t)PAGE_BYTES - 1));

	return !memcmp(page, ELFMAG, SELFMAG);
}

/*
 * Finds the build id. An Image has no section headers, so its note is searched for by its
 * first words: a name of 4 bytes, the id's 20, type 3, "GNU". Those of the vDSOs in it, which
 * may come first, are others.
 */
static void find_build_id(const struct kernel_image *image, char *text)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20,	 0,   0,   0,
					3, 0, 0, 0, 'G', 'N', 'U', 0 };
	const uint8_t *at = image->bytes, *end = image->bytes + image->n_bytes;

	*text = 0;
	while ((at = memmem(at, (size_t)(end - at), note, sizeof(note))) &&
	       in_elf_page(image, (size_t)(at - image->bytes)))
		at += sizeof(note);
	if (!at || (size_t)(end - at) < sizeof(note) + 20)
		return;
	for (unsigned i = 0; i < 20; i++)
		sprintf(text + 2 * i, "%02x", at[sizeof(note) + i]);
}

/*
 * Moves the bytes into the image, which is linked at `start`, 0: its symbols say so. Reads
 * symbols only if `whole`. Without symbols start and end stay 0.
 */
static void take_image(struct kernel_image *image, struct buf *bytes, uint64_t start,
		       bool whole)
{
	image->bytes = bytes->data;
	image->n_bytes = bytes->len;
	*bytes = BUF_INIT;
	find_build_id(image, image->build_id);
	if (!whole || !kallsyms_read(&image->symbols, image->bytes, image->n_bytes))
		return;
	image->start = start;
	/*
	 * Byte 0 of an Image is _start, also called _text; both may be left out of the
	 * table.
	 */
	if (!start && !kernel_symbols_find(&image->symbols, "_start", &image->start) &&
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

/* Reads any of the kinds; `whole`: with symbols. False leaves *image empty. */
static bool read_any(struct kernel_image *image, int fd, bool whole)
{
	struct buf file = BUF_INIT, unpacked = BUF_INIT;
	bool good = read_file(&file, fd);
	uint64_t start = 0;

	*image = (struct kernel_image){ .symbols = KERNEL_SYMBOLS_INIT };
	if (good && unpack_is_gzip(file.data, file.len)) {
		good = unpack(&unpacked, file.data, file.len) &&
		       is_image(unpacked.data, unpacked.len);
		if (good)
			take_image(image, &unpacked, 0, whole);
	} else if (good && bzimage_is(file.data, file.len)) {
		good = bzimage_read(&unpacked, &start, &file);
		if (good)
			take_image(image, &unpacked, start, whole);
	} else if (good && is_image(file.data, file.len)) {
		take_image(image, &file, 0, whole);
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

const char *kernel_isa(int fd)
{
	uint8_t head[BZIMAGE_HEAD_BYTES] = { 0 };
	ssize_t n = pread(fd, head, sizeof(head), 0);
	struct kernel_image image;
	const char *isa;

	if (n > 0 && bzimage_is(head, (size_t)n))
		return "x86_64";
	if (!read_any(&image, fd, false))
		return NULL;
	isa = image_isa(image.bytes, image.n_bytes);
	kernel_image_fini(&image);
	return isa;
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
 * Whether a name may be that of a bound of a section (__cpuidle_text_end, _stext), which is where
 * a function begins.
 */
static bool may_be_bound(const char *text)
{
	static const char *const ends[] = { "_start", "_begin", "_end", "text" };
	size_t n = strlen(text);

	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends) && text[0] == '_'; i++)
		if (n > strlen(ends[i]) && !strcmp(text + n - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/*
 * Which of several names at one address is kept, the least: global before weak before
 * local, and names without a leading underscore first; what may be a bound comes last.
 */
static uint8_t worth_of(char type, const char *text)
{
	unsigned order = may_be_bound(text)	    ? 4 :
			 type == 'T'		    ? 1 :
			 type == 'w' || type == 'W' ? 2 :
						      3;

	return (uint8_t)(order << 1 | (text[0] == '_'));
}

/* Given a symbol of code, its text, and the address behind it. False: each_code() ends. */
typedef bool take_code_fn(void *cookie, const struct kernel_symbol *symbol,
			  const char *text, uint64_t end);

/*
 * Calls take() for each symbol of code, from the last to the first, so that its end is known:
 * where the next symbol, of code or data, begins. Several symbols at one address share that.
 */
static bool each_code(const struct kernel_image *image, take_code_fn *take, void *cookie)
{
	const struct kernel_symbols *symbols = &image->symbols;
	uint64_t next = image->end, start = image->end;

	for (uint32_t i = symbols->n; i-- > 0;) {
		const struct kernel_symbol *symbol = &symbols->all[i];
		const char *text = (const char *)symbols->texts.data + symbol->name;

		if (symbol->address != start)
			next = start;
		start = symbol->address;
		if (is_code(symbol->type) && next > start &&
		    !take(cookie, symbol, text, next))
			return false;
	}
	return true;
}

static bool take_name(void *cookie, const struct kernel_symbol *symbol, const char *text,
		      uint64_t end)
{
	return names_nothing(text) ||
	       names_add(cookie,
			 &(struct name){ .start = symbol->address,
					 .limit = end,
					 .worth = worth_of(symbol->type, text) },
			 text, "");
}

static bool add_names(struct names *names, const struct kernel_image *image)
{
	return each_code(image, take_name, names) && names->n;
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

/* Who is given the symbols of an Image as those of a file. */
struct asker {
	const struct kernel_image *image;
	bool (*take)(void *cookie, const struct elf_symbol *symbol);
	void *cookie;
};

static bool take_symbol(void *cookie, const struct kernel_symbol *symbol,
			const char *text, uint64_t end)
{
	const struct asker *asker = cookie;
	uint64_t base = asker->image->start;

	return symbol->address < base ||
	       asker->take(asker->cookie, &(struct elf_symbol){
						  .name = text,
						  .start = symbol->address - base,
						  .end = end - base,
					  });
}

bool kernel_names_each(int fd, const char *path, const char *build_id,
		       bool (*take)(void *cookie, const struct elf_symbol *symbol),
		       void *cookie)
{
	struct kernel_image image;
	struct asker asker = { &image, take, cookie };
	bool good;

	if (elf_loads(fd, NULL, 0))
		return elf_symbols_each(fd, path, build_id, take, cookie);
	if (!kernel_image_read(&image, fd))
		return false;
	good = each_code(&image, take_symbol, &asker);
	kernel_image_fini(&image);
	return good;
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
