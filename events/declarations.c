// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads what QEMU declares of its trace events, and prints their arguments by it.
 *
 * The file is read whole and parsed in place: names end with NULs that overwrite the
 * text, and a format's strings are joined where the first one begins. That fits, because
 * the result is never longer than the source:
 *
 *	"a %d" " b 0x%" PRIx64		in the file
 *	a %d b 0x%lx			in the same bytes
 *
 * Invariant: a declaration is kept only if each conversion of its format has an argument
 * of its kind. So printing checks the length of the record and nothing else.
 */
#include "events/declarations.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * `strings` has a bit for each of 16 arguments. A file of more than 16 MiB does not
 * declare events.
 */
enum { FILE_BYTES = 16 << 20, READ_BYTES = 1 << 16, ARGUMENTS = 16, WIDTH = 64 };

struct declaration {
	const char *name, *format;
	uint16_t strings; /* bit i: argument i is one */
	uint8_t n;
	bool vcpu;
};

struct declarations {
	struct buf file;
	struct declaration *all; /* [n], by name */
	size_t n;
};

/* ---- formats ------------------------------------------------------------- */

struct conversion {
	bool left, zeros, prefix;
	unsigned width;
	unsigned bytes; /* of the number */
	char what;
};

/* The flags that QEMU's formats use; others make the event unsupported. */
static const char *take_flags(const char *at, struct conversion *conversion)
{
	for (;; at++) {
		if (*at == '-')
			conversion->left = true;
		else if (*at == '0')
			conversion->zeros = true;
		else if (*at == '#')
			conversion->prefix = true;
		else
			return at;
	}
}

/*
 * Sizes are those of a 64-bit host, which wrote the trace: "l", "ll", "z", "j" and "t"
 * are 8 bytes.
 */
static const char *take_size(const char *at, struct conversion *conversion)
{
	conversion->bytes = 4;
	if (*at == 'h')
		conversion->bytes = at[1] == 'h' ? 1 : 2;
	else if (*at && strchr("lzjt", *at))
		conversion->bytes = 8;
	return at + strspn(at, "hlzjt");
}

/* Parses what follows a %; NULL when it is not supported. */
static const char *take_conversion(const char *at, struct conversion *conversion)
{
	*conversion = (struct conversion){ .width = 0 };
	/*
	 * A larger width than WIDTH is taken for an error: it would fill lines with
	 * blanks.
	 */
	at = take_flags(at, conversion);
	for (; isdigit((unsigned char)*at) && conversion->width < WIDTH; at++)
		conversion->width = conversion->width * 10 + (unsigned)(*at - '0');
	at = take_size(at, conversion);
	conversion->what = *at;
	if (!*at || !strchr("diuxXocsp%", *at) || conversion->width > WIDTH)
		return NULL;
	return at + 1;
}

/*
 * Whether the format prints exactly the arguments, except the one that vcpu puts first.
 */
static bool fits(const struct declaration *declaration)
{
	unsigned n = declaration->vcpu;
	struct conversion conversion;

	for (const char *at = declaration->format; (at = strchr(at, '%'));) {
		at = take_conversion(at + 1, &conversion);
		if (!at)
			return false;
		if (conversion.what == '%')
			continue;
		if (n >= declaration->n ||
		    (conversion.what == 's') != (declaration->strings >> n & 1))
			return false;
		n++;
	}
	return n == declaration->n;
}

/* ---- printing ------------------------------------------------------------ */

struct printing {
	char *text;
	size_t used, size;
	const uint8_t *at, *end; /* of the arguments */
	bool failed;
};

/*
 * What does not fit fails the whole event, which is then printed as words: a line is
 * never cut.
 */
static void put(struct printing *printing, const char *text, size_t bytes)
{
	if (printing->size - printing->used < bytes) {
		printing->failed = true;
		return;
	}
	memcpy(printing->text + printing->used, text, bytes);
	printing->used += bytes;
}

static void put_padded(struct printing *printing, const struct conversion *conversion,
		       const char *text, size_t bytes)
{
	/* As printf() does: "-" wins over "0", and zeros come after the sign. */
	bool zeros = conversion->zeros && !conversion->left;
	size_t sign = zeros && bytes && *text == '-';

	if (conversion->left || zeros)
		put(printing, text, conversion->left ? bytes : sign);
	for (size_t i = bytes; i < conversion->width; i++)
		put(printing, zeros ? "0" : " ", 1);
	if (!conversion->left)
		put(printing, text + (zeros ? sign : 0), bytes - (zeros ? sign : 0));
}

static const uint8_t *take(struct printing *printing, size_t bytes)
{
	const uint8_t *data = printing->at;

	if ((size_t)(printing->end - data) < bytes) {
		printing->failed = true;
		return NULL;
	}
	printing->at += bytes;
	return data;
}

/* A string has its length of 32 bits before it, and no NUL. */
static void print_string(struct printing *printing, const struct conversion *conversion)
{
	const uint8_t *data = take(printing, 4);
	uint32_t bytes = 0;

	if (data)
		memcpy(&bytes, data, sizeof(bytes));
	data = data ? take(printing, bytes) : NULL;
	if (data)
		put_padded(printing, conversion, (const char *)data, bytes);
}

static void print_hex(char *digits, size_t size, const struct conversion *conversion,
		      uint64_t value)
{
	/* printf() writes no prefix before 0. */
	const char *prefix = conversion->prefix && value ? "0x" : "";

	if (conversion->what == 'X')
		snprintf(digits, size, "%s%" PRIX64, *prefix ? "0X" : "", value);
	else
		snprintf(digits, size, "%s%" PRIx64, prefix, value);
}

static void print_digits(char *digits, size_t size, const struct conversion *conversion,
			 uint64_t value)
{
	/*
	 * Arguments are stored as 64 bits; only the low ones of the declared type count.
	 * Shifting up and down again sets the others to 0, or to the sign.
	 */
	unsigned unused = 64 - 8 * conversion->bytes;
	uint64_t whole = value << unused >> unused;

	switch (conversion->what) {
	case 'd':
	case 'i':
		snprintf(digits, size, "%" PRId64, (int64_t)(value << unused) >> unused);
		break;
	case 'u':
		snprintf(digits, size, "%" PRIu64, whole);
		break;
	case 'x':
	case 'X':
		print_hex(digits, size, conversion, whole);
		break;
	case 'o':
		snprintf(digits, size, "%" PRIo64, whole);
		break;
	case 'c':
		snprintf(digits, size, "%c", (char)value);
		break;
	default:
		snprintf(digits, size, "%s%" PRIx64, "0x", value);
	}
}

static void print_number(struct printing *printing, const struct conversion *conversion)
{
	/* Every number takes 8 bytes in the record, whatever its type. */
	const uint8_t *data = take(printing, 8);
	char digits[32];
	uint64_t value;

	if (!data)
		return;
	memcpy(&value, data, sizeof(value));
	print_digits(digits, sizeof(digits), conversion, value);
	/* As glibc prints it, and so QEMU's log. */
	if (conversion->what == 'p' && !value)
		strcpy(digits, "(nil)");
	put_padded(printing, conversion, digits, strlen(digits));
}

static void print_format(struct printing *printing, const char *at)
{
	while (*at && !printing->failed) {
		struct conversion conversion;
		size_t plain = strcspn(at, "%");

		put(printing, at, plain);
		at += plain;
		if (!*at)
			return;
		at = take_conversion(at + 1, &conversion);
		if (conversion.what == '%')
			put(printing, "%", 1);
		else if (conversion.what == 's')
			print_string(printing, &conversion);
		else
			print_number(printing, &conversion);
	}
}

size_t declaration_print(const struct declaration *declaration, char *text, size_t size,
			 const uint8_t *arguments, size_t bytes)
{
	struct printing printing = {
		.text = text,
		.size = size,
		.at = arguments,
		.end = arguments + bytes,
	};

	/* "vcpu" adds this before the format, as QEMU's log has it. */
	if (declaration->vcpu)
		print_format(&printing, "cpu=%p ");
	print_format(&printing, declaration->format);
	/*
	 * Bytes that are left over mean that the declaration is of another version of
	 * QEMU.
	 */
	return printing.failed || printing.at != printing.end ? SIZE_MAX : printing.used;
}

/* ---- reading ------------------------------------------------------------- */

static char *skip_blanks(char *at)
{
	return at + strspn(at, " \t");
}

/*
 * Writes a macro like PRIx64 as its conversion; returns its length in the file, 0: no
 * macro.
 */
static size_t take_macro(const char *at, char **out)
{
	bool pointer;

	/*
	 * PRId64, PRIuPTR and the like; the number of bits other than 64 needs no letter.
	 */
	if (strncmp(at, "PRI", 3) || !at[3] || !strchr("diuxXo", at[3]))
		return 0;
	pointer = !strncmp(at + 4, "PTR", 3);
	if (pointer || !strncmp(at + 4, "64", 2))
		*(*out)++ = 'l';
	*(*out)++ = at[3];
	return 4 + (pointer ? 3 : strspn(at + 4, "0123456789"));
}

/*
 * Copies one string of a format, from after its quote; returns what follows it, or NULL.
 */
static char *take_string(char *at, char **out)
{
	for (; *at && *at != '"'; at++) {
		/* An escape other than \" and \\ leaves the event out. */
		if (*at == '\\' && *++at != '"' && *at != '\\')
			return NULL;
		*(*out)++ = *at;
	}
	return *at ? at + 1 : NULL;
}

/* Joins a format's strings and macros at `out`; false when there is anything else. */
static bool join(char *at, char *out)
{
	size_t length;

	for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
		if (*at == '"') {
			at = take_string(at + 1, &out);
			if (!at)
				return false;
			continue;
		}
		length = take_macro(at, &out);
		if (!length)
			return false;
		at += length;
	}
	*out = 0;
	return true;
}

static bool is_string(const char *type)
{
	type = skip_blanks((char *)type);
	if (!strncmp(type, "const ", 6))
		type = skip_blanks((char *)type + 6);
	return !strncmp(type, "char", 4) && *skip_blanks((char *)type + 4) == '*';
}

/* The arguments up to a parenthesis that is a NUL now. */
static bool take_arguments(struct declaration *declaration, char *at)
{
	/* An event without arguments is declared with (void). */
	if (!strcmp(skip_blanks(at), "void"))
		return true;
	for (char *rest = at; (at = strsep(&rest, ","));) {
		if (declaration->n == ARGUMENTS)
			return false;
		declaration->strings |= (uint16_t)(is_string(at) << declaration->n++);
	}
	return true;
}

/* The words before a parenthesis that is a NUL now: the last of them is the name. */
static bool take_name(struct declaration *declaration, char *at)
{
	char *word;

	while ((word = strsep(&at, " \t"))) {
		declaration->vcpu |= !strcmp(word, "vcpu");
		/* An event of "tcg" becomes several events with other arguments. */
		if (!strcmp(word, "tcg"))
			return false;
		declaration->name = word;
	}
	declaration->n = declaration->vcpu;
	return *declaration->name;
}

/* Cutting at both parentheses gives three strings: words, arguments, format. */
static bool take_line(struct declaration *declaration, char *line)
{
	char *open = strchr(line, '('), *close = open ? strchr(open, ')') : NULL;

	if (*line == '#' || !close)
		return false;
	*open = *close = 0;
	declaration->format = close + 1;
	return take_name(declaration, line) && take_arguments(declaration, open + 1) &&
	       join(close + 1, close + 1) && fits(declaration);
}

/* Sorted by name, for bsearch(). */
static int by_name(const void *one, const void *other)
{
	const struct declaration *a = one, *b = other;

	return strcmp(a->name, b->name);
}

static int take_lines(struct declarations *declarations, struct wm_error *err)
{
	char *rest = (char *)declarations->file.data, *line;

	/*
	 * Lines that are no declaration, and events that cannot be printed, are left out:
	 * their arguments are printed as words.
	 */
	while ((line = strsep(&rest, "\n"))) {
		struct declaration declaration = { .name = "" };

		if (take_line(&declaration, line) &&
		    !APPEND(declarations->all, declarations->n, declaration))
			return wm_fail_nomem(err, "the declarations of QEMU's events");
	}
	if (!declarations->n)
		return wm_fail(err, WM_E_FORMAT, 0, "declares no trace events of QEMU's");
	qsort(declarations->all, declarations->n, sizeof(*declarations->all), by_name);
	return WM_OK;
}

static int read_file(struct buf *file, int fd, struct wm_error *err)
{
	ssize_t n;

	do {
		/* Checked before reading, so a pipe without an end stops here. */
		if (file->len > FILE_BYTES)
			return wm_fail(err, WM_E_FORMAT, 0,
				       "is too large to declare QEMU's events");
		if (!buf_reserve(file, READ_BYTES))
			return wm_fail_nomem(err, "the declarations of QEMU's events");
		n = read(fd, file->data + file->len, READ_BYTES);
		if (n < 0 && errno != EINTR)
			return wm_fail_errno(err, "cannot read what QEMU declares");
		file->len += n > 0 ? (size_t)n : 0;
	} while (n);
	/* So that string functions end at the end of the file. */
	buf_put_u8(file, 0);
	return file->failed ? wm_fail_nomem(err, "the declarations of QEMU's events") :
			      WM_OK;
}

int declarations_read(struct declarations **out, int fd, struct wm_error *err)
{
	struct declarations *declarations = calloc(1, sizeof(*declarations));
	int ret;

	*out = NULL;
	if (!declarations)
		return wm_fail_nomem(err, "the declarations of QEMU's events");
	ret = read_file(&declarations->file, fd, err);
	if (!ret)
		ret = take_lines(declarations, err);
	if (ret)
		declarations_free(declarations);
	else
		*out = declarations;
	return ret;
}

void declarations_free(struct declarations *declarations)
{
	if (!declarations)
		return;
	free(declarations->all);
	buf_fini(&declarations->file);
	free(declarations);
}

const struct declaration *declarations_find(const struct declarations *declarations,
					    const char *name)
{
	struct declaration key = { .name = name };

	return bsearch(&key, declarations->all, declarations->n, sizeof(key), by_name);
}
