// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux keeps the names of its symbols in its read-only data, without any header: tables
 * one after the other, each aligned to 8 bytes, or to 4 (riscv64 from 7.2 on; scripts/kallsyms.c
 * of Linux).
 *
 *	until 6.4	offsets, base, |  n, names, markers, (order) tokens, index
 *	from 6.5	n, names, markers, tokens, index |  offsets, base, (order)
 *	from 7.0	the same without a base: an offset counts from its own place
 *
 * On x86, with data of each CPU linked at 0 (CONFIG_KALLSYMS_ABSOLUTE_PERCPU), an offset is an
 * address if it is not negative, else -1 less the distance from the base.
 *
 * The index of the tokens is unmistakable: 256 numbers of 16 bits that ascend from 0,
 * each the place of a string. The others are found from there backwards, and every table
 * must fit the others: each 256th name must begin where its marker says.
 *
 * A name is a length and that many numbers of tokens; the first character of the whole is
 * the symbol's type. Example: with tokens 3 = "Ts", 9 = "tar", 12 = "t" the bytes 3 3 9
 * 12 are `start`, in the text section.
 *
 * Invariant: what is read lies in image[bytes]; the work is bounded (WORK_MAX).
 */
#include "program/kernel/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"

enum {
	TOKENS = 256,
	TOKEN_BYTES_MAX = 512, /* KSYM_NAME_LEN of Linux */
	EACH_MARKER = 256,     /* names from one to the next */
	NAME_BYTES_MAX = 512,  /* compressed, with its length */
	SYMBOLS_MAX = 1 << 22, /* Debian's kernels have 150,000 */
	TEXTS_BYTES_MAX = 1 << 28,
	WORK_MAX = 1 << 27, /* names examined, of all candidates together */
};

/* Where Linux is linked on riscv64, the machine whose kernels of 7.0 are read. */
#define LINKED_AT UINT64_C(0xffffffff80000000)
#define R_RISCV_RELATIVE 3

/* Where the tables are, as indexes of image[], as far as they have been found. */
struct tables {
	const uint8_t *image;
	size_t bytes;
	size_t align;	      /* of each table: 8 or 4 */
	size_t tokens, index; /* where these tables are */
	size_t names, markers;
	uint32_t n;
	size_t offsets, base; /* base 0: offsets count from their own places */
	bool percpu; /* offsets are addresses, or below 0 and -1 less their distance */
	uint64_t base_address;
	uint64_t work; /* done */
};

static uint16_t word16(const struct tables *tables, size_t at)
{
	return (uint16_t)(tables->image[at] | tables->image[at + 1] << 8);
}

/* As in word16() and word64(), the caller has checked that the bytes are in the image. */
static uint32_t word32(const struct tables *tables, size_t at)
{
	return word16(tables, at) | (uint32_t)word16(tables, at + 2) << 16;
}

static uint64_t word64(const struct tables *tables, size_t at)
{
	return word32(tables, at) | (uint64_t)word32(tables, at + 4) << 32;
}

static size_t aligned(const struct tables *tables, size_t at)
{
	return (at + tables->align - 1) & ~(tables->align - 1);
}

/* ---- tokens ---------------------------------------------------------------------- */

/* Where the string of a token begins. */
static size_t token(const struct tables *tables, unsigned number)
{
	return tables->tokens + word16(tables, tables->index + 2 * number);
}

/* Each string has at least one character and its NUL, so places differ by 2 or more. */
static bool is_index(const struct tables *tables, size_t at)
{
	uint16_t last = word16(tables, at), next;

	if (last)
		return false;
	for (unsigned i = 1; i < TOKENS; i++, last = next) {
		next = word16(tables, at + 2 * i);
		if (next < last + 2 || next > last + TOKEN_BYTES_MAX)
			return false;
	}
	return true;
}

/*
 * Whether the strings begin at `at`, each where the index says, and end before the index.
 */
static bool are_tokens(const struct tables *tables, size_t at)
{
	size_t next = at;

	for (unsigned i = 0; i < TOKENS; i++) {
		const uint8_t *end;

		if (next != at + word16(tables, tables->index + 2 * i))
			return false;
		end = memchr(tables->image + next, 0, tables->index - next);
		if (!end)
			return false;
		next = (size_t)(end - tables->image) + 1;
	}
	return aligned(tables, next) == tables->index;
}

/*
 * The last string's place is known, not its length: the start of the tokens is tried at
 * every aligned place that its length allows.
 */
static bool find_tokens(struct tables *tables, size_t index)
{
	/* The least size of the strings: the last one has one character and a NUL. */
	size_t most = word16(tables, index + 2 * (TOKENS - 1)) + 2u;
	size_t end;

	tables->index = index;
	if (index < most)
		return false;
	end = (index - most) & ~(tables->align - 1);
	for (size_t back = 0; back <= TOKEN_BYTES_MAX && back <= end;
	     back += tables->align) {
		tables->tokens = end - back;
		if (are_tokens(tables, tables->tokens))
			return true;
	}
	return false;
}

/* ---- names ----------------------------------------------------------------------- */

/*
 * The length of the compressed name at *at; moves *at to its first token. Names of 128
 * tokens and more have two bytes of length, from 6.1 on. 0: the name does not end before
 * `end`.
 */
static uint32_t name_bytes(const struct tables *tables, size_t *at, size_t end)
{
	uint32_t n;

	if (*at >= end)
		return 0;
	n = tables->image[(*at)++];
	if (n & 0x80) {
		if (*at >= end)
			return 0;
		n = (n & 0x7f) | (uint32_t)tables->image[(*at)++] << 7;
	}
	return n <= end - *at ? n : 0;
}

/*
 * Whether n names fill the bytes between `names` and the markers, and the markers are
 * theirs. The work counts here, where a wrong candidate costs most.
 */
static bool are_names(struct tables *tables)
{
	size_t at = tables->names;

	for (uint32_t i = 0; i < tables->n; i++) {
		uint32_t n;

		if (i % EACH_MARKER == 0 &&
		    word32(tables, tables->markers + i / EACH_MARKER * 4) !=
			    at - tables->names)
			return false;
		n = name_bytes(tables, &at, tables->markers);
		if (!n || ++tables->work > WORK_MAX)
			return false;
		at += n;
	}
	return aligned(tables, at) == tables->markers;
}

/*
 * How many numbers from `at` on may be markers: they ascend from 0. A name has a length
 * and at least one token, so 256 names have 512 bytes or more.
 */
static uint32_t count_markers(const struct tables *tables, size_t at)
{
	uint32_t last = word32(tables, at), n = 1;

	if (last)
		return 0;
	for (; at + 4 * (n + 1ul) <= tables->tokens; n++) {
		uint32_t next = word32(tables, at + 4ul * n);

		if (next < last + 2 * EACH_MARKER ||
		    next > last + EACH_MARKER * NAME_BYTES_MAX)
			break;
		last = next;
	}
	return n;
}

/* The number of names, which has the room of its alignment. */
static uint64_t count_at(const struct tables *tables, size_t at)
{
	return tables->align == 8 ? word64(tables, at) : word32(tables, at);
}

/*
 * Looks for the names before the markers, of which there are at most `most`: zeros or the
 * next table may look like more. The number of names is the word before the names. It
 * must need more than one marker, as find_markers() does.
 */
static bool find_names(struct tables *tables, uint32_t most)
{
	size_t last = word32(tables, tables->markers + 4ul * (most - 1));
	size_t furthest = last + EACH_MARKER * NAME_BYTES_MAX;

	size_t align = tables->align;

	for (size_t back = align; back <= furthest && back + align <= tables->markers;
	     back += align) {
		uint64_t n = count_at(tables, tables->markers - back - align);

		if (n <= EACH_MARKER || n > SYMBOLS_MAX ||
		    (n + EACH_MARKER - 1) / EACH_MARKER > most)
			continue;
		tables->names = tables->markers - back;
		tables->n = (uint32_t)n;
		if (are_names(tables))
			return true;
	}
	return false;
}

/*
 * Searches for the markers backwards from the tokens. Between them there may be the order
 * of names, 3 bytes each, so every aligned place is tried.
 */
static bool find_markers(struct tables *tables)
{
	for (size_t at = tables->tokens; at >= tables->align;) {
		uint32_t most;

		at -= tables->align;
		most = count_markers(tables, at);
		tables->markers = at;
		if (most > 1 && find_names(tables, most))
			return true;
		if (++tables->work > WORK_MAX)
			return false;
	}
	return false;
}

/* ---- addresses ------------------------------------------------------------------- */

static uint64_t address_of(const struct tables *tables, uint32_t i)
{
	size_t at = tables->offsets + 4ul * i;
	uint32_t offset = word32(tables, at);

	if (tables->base && (!tables->percpu || !(offset >> 31)))
		return offset + (tables->percpu ? 0 : tables->base_address);
	/* Of x86 what each CPU has of its own is linked from 0 on, and the rest negative. */
	if (tables->base)
		return tables->base_address + ~offset;
	/* Without a base the offset is signed and counts from its own place. */
	return tables->base_address + at + (uint64_t)(int64_t)(int32_t)offset;
}

/* Addresses ascend in every kernel. This refutes a wrong place of the offsets. */
static bool are_sorted(const struct tables *tables)
{
	for (uint32_t i = 1; i < tables->n; i++)
		if (address_of(tables, i - 1) > address_of(tables, i))
			return false;
	/* Not all the same: zeros are sorted, too. */
	return address_of(tables, 0) < address_of(tables, tables->n - 1);
}

/*
 * In a relocatable kernel the base is 0 in the file, and an entry of its relocations has
 * the value: { place, type, value }. The value is the address of the image's first byte,
 * so the place of the base must be that address plus `base`.
 */
static uint64_t moved_base(const struct tables *tables, size_t base)
{
	for (size_t at = 0; at + 24 <= tables->bytes; at += 8) {
		uint64_t address = word64(tables, at + 16);

		if (word64(tables, at + 8) == R_RISCV_RELATIVE && address >> 63 &&
		    word64(tables, at) == address + base)
			return address;
	}
	return 0;
}

/*
 * Whether the offsets are at `offsets` and the base at `base`. Kernel addresses have the
 * highest bit.
 */
static bool fit_base(struct tables *tables, size_t offsets, size_t base)
{
	if (offsets + 4ul * tables->n > tables->bytes || base + 8 > tables->bytes)
		return false;
	tables->offsets = offsets;
	tables->base = base;
	tables->base_address = word64(tables, base);
	/* Order is tested first: the search for a base reads the whole image. */
	tables->percpu = false;
	if (!are_sorted(tables)) {
		tables->percpu = true;
		return tables->base_address >> 63 && are_sorted(tables);
	}
	if (!tables->base_address)
		tables->base_address = moved_base(tables, base);
	return tables->base_address >> 63;
}

/* Whether the offsets count from their own places. */
static bool fit_places(struct tables *tables, size_t offsets)
{
	if (offsets + 4ul * tables->n > tables->bytes)
		return false;
	tables->offsets = offsets;
	tables->base = 0;
	tables->base_address = LINKED_AT;
	return are_sorted(tables) && address_of(tables, 0) >> 63;
}

static bool find_addresses(struct tables *tables)
{
	size_t behind = tables->index + 2 * TOKENS;
	size_t spread = aligned(tables, 4ul * tables->n);
	/*
	 * The number of the names is just before them, in 8 bytes, and the base before
	 * that.
	 */
	size_t base = tables->names - 16;

	if (fit_base(tables, behind, behind + spread) || fit_places(tables, behind))
		return true;
	/* The layout until 6.4. */
	return tables->names >= 16 + spread && fit_base(tables, base - spread, base);
}

/* ---- symbols --------------------------------------------------------------------- */

void kernel_symbols_fini(struct kernel_symbols *symbols)
{
	free(symbols->all);
	buf_fini(&symbols->texts);
	*symbols = KERNEL_SYMBOLS_INIT;
}

bool kernel_symbols_add(struct kernel_symbols *symbols, uint64_t address, char type,
			const char *name, size_t bytes)
{
	struct kernel_symbol symbol = { address, (uint32_t)symbols->texts.len, type };

	if (symbols->n == SYMBOLS_MAX || symbols->texts.len > TEXTS_BYTES_MAX)
		return false;
	buf_put(&symbols->texts, name, bytes);
	buf_put_u8(&symbols->texts, 0);
	return !symbols->texts.failed && APPEND(symbols->all, symbols->n, symbol);
}

static int by_address(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

void kernel_symbols_sort(struct kernel_symbols *symbols)
{
	if (symbols->n)
		qsort(symbols->all, symbols->n, sizeof(*symbols->all), by_address);
}

bool kernel_symbols_find(const struct kernel_symbols *symbols, const char *name,
			 uint64_t *address)
{
	for (uint32_t i = 0; i < symbols->n; i++) {
		const struct kernel_symbol *symbol = &symbols->all[i];

		if (strcmp((const char *)symbols->texts.data + symbol->name, name) != 0)
			continue;
		*address = symbol->address;
		return true;
	}
	return false;
}

/*
 * Expands the `n` tokens at `at`: the type and then the name. Returns the length, which
 * is cut to TOKEN_BYTES_MAX.
 */
static size_t expand(const struct tables *tables, size_t at, uint32_t n,
		     char text[TOKEN_BYTES_MAX])
{
	size_t length = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *part = (const char *)tables->image +
				   token(tables, tables->image[at + i]);
		size_t bytes = strlen(part), room = TOKEN_BYTES_MAX - length;

		bytes = bytes < room ? bytes : room;
		memcpy(text + length, part, bytes);
		length += bytes;
	}
	return length;
}

static bool take_symbols(struct kernel_symbols *symbols, const struct tables *tables)
{
	size_t at = tables->names;

	for (uint32_t i = 0; i < tables->n; i++) {
		char text[TOKEN_BYTES_MAX];
		uint32_t n = name_bytes(tables, &at, tables->markers);
		size_t length = expand(tables, at, n, text);

		at += n;
		/* Tokens are not empty, so there is a type. */
		if (!kernel_symbols_add(symbols, address_of(tables, i), text[0], text + 1,
					length - 1))
			return false;
	}
	return true;
}

static bool read_aligned(struct kernel_symbols *symbols, struct tables *tables)
{
	/* A candidate that fails in any step was no index: the next one is tried. */
	for (size_t at = 0; at + 2 * TOKENS <= tables->bytes; at += tables->align) {
		if (!is_index(tables, at) || !find_tokens(tables, at) ||
		    !find_markers(tables) || !find_addresses(tables))
			continue;
		if (take_symbols(symbols, tables))
			return true;
		kernel_symbols_fini(symbols);
		return false;
	}
	return false;
}

bool kallsyms_read(struct kernel_symbols *symbols, const uint8_t *image, size_t bytes)
{
	struct tables by_8 = { .image = image, .bytes = bytes, .align = 8 };
	struct tables by_4 = { .image = image, .bytes = bytes, .align = 4 };

	*symbols = KERNEL_SYMBOLS_INIT;
	return read_aligned(symbols, &by_8) || read_aligned(symbols, &by_4);
}
