// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions get dense numbers, so that analyses can count in arrays. A number stands for
 * a key, and the key is what makes two addresses part of one function:
 *
 * - with a symbol, its start in the file and the address of its name in memory. A name
 *   lies in the table of names of one file, so the address identifies the file, and two
 *   spaces that mapped the file share its functions;
 * - without a symbol, the path of the file: all such code of a file is one function,
 *   called "[libc.so.6]"; code outside of files is "[anonymous]";
 * - of a function that exists only where it was inlined, the file and its name;
 * - of one that a runtime interprets, its name and its source;
 * - of a line, its source and its number, and the function around it.
 *
 * Example: `main` at byte 0x1234 of /bin/a has the key (0x1235, &names["main"]); code of
 * /bin/a that no symbol covers has the key (0, "/bin/a").
 *
 * Invariant: a key has one number for ever, and numbers have no holes.
 */
#include "program/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/pattern.h"
#include "program/demangle.h"
#include "program/made/name.h"

enum { RECENT = 256 }; /* places; a power of 2 */

/* A place that was looked up, and the bytes after it with the same answer. */
struct recent {
	uint32_t space;
	uint64_t address;
	struct symbol_along is;
	uint32_t number; /* of the function; 0: not known yet */
	bool plain;	 /* its file is known to have no inlined calls */
};

struct functions {
	struct symbols *symbols;
	struct srclines *lines; /* that inlined functions are found with; NULL: none are */
	struct srclines *dividing; /* likewise lines, see functions_divide() */
	bool only_made;		   /* see functions_only_made() */
	struct interner keys;
	struct interner inlined; /* names of functions that were, by file */
	uint32_t *number_of;	 /* [n_inlined] of these, by id - 1 */
	size_t n_inlined;
	struct function *all; /* [allocated] by number, of which 0 is unused */
	uint32_t allocated;
	struct recent recent[RECENT]; /* by recent_of() */
};

int functions_new(struct functions **out, struct symbols *symbols, struct wm_error *err)
{
	struct functions *functions = calloc(1, sizeof(*functions));

	*out = functions;
	if (!functions)
		return wm_fail_nomem(err, "functions");
	functions->symbols = symbols;
	functions->keys = functions->inlined = INTERNER_INIT;
	return 0;
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	for (uint32_t i = 1; i <= functions->keys.count && i < functions->allocated; i++)
		free((char *)functions->all[i].name);
	free(functions->all);
	interner_fini(&functions->keys);
	interner_fini(&functions->inlined);
	free(functions->number_of);
	free(functions);
}

/* Code as its callers name it. */
struct place {
	uint32_t space, id; /* of the block */
	uint64_t address;
};

/* The name of the artificial function for all code of a file that has no symbol. */
static char *made_up_name(const char *module)
{
	const char *slash = module ? strrchr(module, '/') : NULL;
	char *name;

	/* A name of the kernel's, such as [vdso]. */
	if (module && *module == '[')
		return strdup(module);
	if (asprintf(&name, "[%s]",
		     slash  ? slash + 1 :
		     module ? module :
			      "anonymous") < 0)
		return NULL;
	return name;
}

/* New elements are zeros, so that functions_free() can free names that were never set. */
static bool make_room(struct functions *functions, uint32_t number)
{
	struct function *grown;
	uint32_t n = functions->allocated * 2 + 256;

	if (number < functions->allocated)
		return true;
	grown = reallocarray(functions->all, n, sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + functions->allocated, 0,
	       (n - functions->allocated) * sizeof(*grown));
	functions->all = grown;
	functions->allocated = n;
	return true;
}

/*
 * Fills in all[number]. The strings of `symbol` belong to struct symbols, which lives
 * longer.
 */
static bool describe(struct functions *functions, uint32_t number,
		     const struct symbol *symbol, uint64_t start)
{
	if (!make_room(functions, number))
		return false;
	functions->all[number] = (struct function){
		/* A name is made once for each function and owned by this table. */
		.name = symbol->name ? demangle(symbol->name) :
				       made_up_name(symbol->module),
		.symbol = symbol->name,
		.module = symbol->module,
		.start = start,
	};
	return functions->all[number].name;
}

/*
 * The number of the function that `symbol` is part of; 0: no memory. The two kinds of
 * keys cannot be equal: starts are stored plus one, and the start of an artificial
 * function is 0.
 */
static uint32_t number_of(struct functions *functions, const struct symbol *symbol,
			  uint64_t start, bool *fresh)
{
	const char *path = symbol->module ? symbol->module : "";

	if (symbol->name)
		/* The address of the name is the key's bytes, not the name. */
		return intern(&functions->keys, start + 1, (const uint8_t *)&symbol->name,
			      sizeof(symbol->name), fresh);
	return intern(&functions->keys, 0, (const uint8_t *)path,
		      (uint32_t)strlen(path) + 1, fresh);
}

static bool is_along(const struct recent *recent, const struct place *place)
{
	const struct along *along = &recent->is.along;

	/* Unsigned: what is before the address is far behind it. */
	return place->address - recent->address < along->bytes &&
	       place->space == recent->space && place->id > along->after &&
	       place->id <= along->until;
}

/*
 * Looks a place up, unless what is known of one before it goes so far. Places near each other
 * share an entry, so that the instructions of a block and the blocks of a loop are found.
 */
static struct recent *recent_of(struct functions *functions, const struct place *place)
{
	enum { NEAR_BYTES = 128 };
	struct recent *recent = &functions->recent[place->address / NEAR_BYTES % RECENT];

	if (is_along(recent, place))
		return recent;
	*recent = (struct recent){ .space = place->space, .address = place->address };
	symbols_along(functions->symbols, place->space, place->address, place->id,
		      &recent->is);
	return recent;
}

/* The function of a place that was looked up; 0: no memory. */
static uint32_t describe_recent(struct functions *functions, struct recent *recent)
{
	const struct symbol *symbol = &recent->is.symbol;
	/* Without a name the offset is the file's, and a function has no start. */
	uint64_t start = symbol->name ? symbol->file_off - symbol->offset : 0;
	bool fresh = false;
	uint32_t number = number_of(functions, symbol, start, &fresh);

	if (number && fresh && !describe(functions, number, symbol, start))
		return 0;
	recent->number = number;
	return number;
}

/*
 * Is called for every instruction of a trace; for most of them the place before is known. The
 * name is demangled only when the key is new.
 */
uint32_t functions_at(struct functions *functions, uint32_t space, uint64_t address,
		      uint32_t id, uint64_t *offset)
{
	const struct place place = { space, id, address };
	struct recent *recent = recent_of(functions, &place);
	const struct symbol *symbol = &recent->is.symbol;

	if (offset)
		*offset = symbol->module ? symbol->offset + (address - recent->address) :
					   address;
	return recent->number ? recent->number : describe_recent(functions, recent);
}

bool functions_is_made(const struct functions *functions, uint32_t space,
		       uint64_t address, uint32_t id)
{
	return symbols_is_made(functions->symbols, space, address, id);
}

/*
 * Marks keys of inlined functions. The other kinds of keys hold an offset in a file plus
 * one, which is far below.
 */
#define OF_INLINED (UINT64_C(1) << 63)

/*
 * The function of that name in the file: the first of several; 0: there is none. A linear
 * search, made once for each name of a file.
 */
static uint32_t find_symbol(struct functions *functions, uint32_t file, const char *name)
{
	const char *build_id;
	struct symbol_range range;
	struct symbol symbol = { .name = NULL };
	bool fresh = false;
	uint32_t number;

	for (uint32_t i = 0; symbols_at(functions->symbols, file, i, &range); i++)
		if (!strcmp(range.name, name)) {
			symbol.name = range.name;
			break;
		}
	if (!symbol.name)
		return 0;
	symbol.module = symbols_file(functions->symbols, file, &build_id);
	number = number_of(functions, &symbol, range.start, &fresh);
	return number && fresh && !describe(functions, number, &symbol, range.start) ?
		       0 :
		       number;
}

/* A function without a symbol of its own. */
static uint32_t add_inlined(struct functions *functions, uint32_t file, const char *name)
{
	const char *build_id;
	uint64_t unused;
	uint32_t bytes;
	bool fresh;
	uint32_t number = intern(&functions->keys, OF_INLINED | file,
				 (const uint8_t *)name, (uint32_t)strlen(name) + 1,
				 &fresh);

	if (!number || !make_room(functions, number))
		return 0;
	functions->all[number] = (struct function){
		.name = demangle(name),
		.module = symbols_file(functions->symbols, file, &build_id),
		.inlined = (const char *)intern_code(&functions->keys, number, &unused,
						     &bytes),
	};
	return functions->all[number].name ? number : 0;
}

/*
 * `inlined` gives each pair of file and name an id when it is first met; number_of[] is
 * appended in the same order, so number_of[id - 1] is its answer. A failure is remembered
 * as 0.
 */
static uint32_t number_inlined(struct functions *functions, uint32_t file,
			       const char *name)
{
	bool fresh;
	uint32_t number, known = intern(&functions->inlined, file, (const uint8_t *)name,
					(uint32_t)strlen(name) + 1, &fresh);

	if (!known || !fresh)
		return known && known <= functions->n_inlined ?
			       functions->number_of[known - 1] :
			       0;
	number = find_symbol(functions, file, name);
	if (!number)
		number = add_inlined(functions, file, name);
	return APPEND(functions->number_of, functions->n_inlined, number) ? number : 0;
}

/* Marks keys of functions that a runtime interprets. */
#define OF_NAMED (UINT64_C(1) << 62)

/* Its strings are one piece of memory, which begins with the name. */
uint32_t functions_named(struct functions *functions, const char *name,
			 const char *symbol, const char *source)
{
	size_t named = strlen(name) + 1, known = strlen(symbol) + 1;
	size_t bytes = named + known + strlen(source) + 1;
	char *text = malloc(bytes);
	uint32_t number = 0;
	bool fresh = false;

	if (text) {
		memcpy(text, name, named);
		memcpy(text + named, symbol, known);
		memcpy(text + named + known, source, bytes - named - known);
		number = intern(&functions->keys, OF_NAMED, (const uint8_t *)text,
				(uint32_t)bytes, &fresh);
	}
	if (!number || !fresh || !make_room(functions, number)) {
		free(text);
		return fresh ? 0 : number;
	}
	functions->all[number] = (struct function){
		.name = text,
		.symbol = text + named,
		.module = text + named + known,
	};
	return number;
}

/* Marks keys of lines. */
#define OF_LINE (UINT64_C(1) << 61)

static uint32_t number_line(struct functions *functions, const struct srcline *line,
			    uint32_t around)
{
	const uint32_t key[] = { line->source, line->number, around };
	bool fresh = false;
	uint32_t number = intern(&functions->keys, OF_LINE, (const uint8_t *)key,
				 sizeof(key), &fresh);

	if (!number || !make_room(functions, number))
		return 0;
	if (fresh) {
		char *name;

		if (asprintf(&name, "line %" PRIu32, line->number) < 0)
			return 0;
		functions->all[number] = (struct function){ .name = name,
							    .line = *line,
							    .line_of = around };
	}
	return functions->all[number].name ? number : 0;
}

/* Where a place is in a file; NULL: in none. */
static struct recent *origin_of(struct functions *functions, const struct place *place,
				struct origin *origin)
{
	struct recent *recent = recent_of(functions, place);

	*origin = recent->is.origin;
	origin->file_off += place->address - recent->address;
	return recent->is.in_file ? recent : NULL;
}

/*
 * The calls around an address, as of srclines_frames(); *file is its file. That no debugging
 * information is there is not reported: it was not asked for.
 */
static size_t frames_at(struct functions *functions, struct srclines *lines,
			const struct place *place, struct srcframe *frames, size_t room,
			uint32_t *file)
{
	struct origin origin;
	struct recent *recent = origin_of(functions, place, &origin);
	size_t n;

	if (!recent || recent->plain)
		return 0;
	*file = origin.file;
	symbols_for_more(functions->symbols, true);
	recent->plain = !srclines_has_frames(lines, origin.file);
	n = recent->plain ? 0 : srclines_frames(lines, &origin, frames, room);
	symbols_for_more(functions->symbols, false);
	return n < room ? n : room;
}

/* The line of a place; zeros: it is not known. */
static struct srcline line_at(struct functions *functions, const struct place *place)
{
	struct srcline line = { 0 };
	struct origin origin;

	if (!origin_of(functions, place, &origin))
		return line;
	symbols_for_more(functions->symbols, true);
	if (!srclines_at(functions->dividing, &origin, &line))
		line = (struct srcline){ 0 };
	symbols_for_more(functions->symbols, false);
	return line;
}

uint32_t functions_inlined_at(struct functions *functions, struct srclines *lines,
			      uint32_t space, uint64_t address, uint32_t id)
{
	const struct place place = { space, id, address };
	struct srcframe frame;
	uint32_t file;

	if (!frames_at(functions, lines, &place, &frame, 1, &file))
		return 0;
	return number_inlined(functions, file, frame.function);
}

uint32_t functions_innermost(struct functions *functions, uint32_t space,
			     uint64_t address, uint32_t id)
{
	uint32_t number = functions->lines ?
				  functions_inlined_at(functions, functions->lines, space,
						       address, id) :
				  0;

	return number ? number : functions_at(functions, space, address, id, NULL);
}

void functions_unfold(struct functions *functions, struct srclines *lines)
{
	functions->lines = lines;
}

void functions_divide(struct functions *functions, struct srclines *lines)
{
	functions->dividing = lines;
}

void functions_only_made(struct functions *functions, bool only)
{
	functions->only_made = only;
}

/* What is found around an address, from the innermost. */
struct found {
	struct inlined_function *all; /* [INLINED_MAX] */
	int n;
	bool failed; /* no memory */
};

static void add(struct found *found, uint32_t number, const struct srcline *call)
{
	found->failed |= !number;
	found->all[found->n++] = (struct inlined_function){ number, *call };
}

static void add_line(struct functions *functions, struct found *found,
		     const struct srcline *line, uint32_t around)
{
	static const struct srcline none = { 0 };

	if (functions->dividing && line->source && line->number)
		add(found, number_line(functions, line, around), &none);
}

static bool is_looked_into(struct functions *functions, const struct place *place)
{
	const char *module;

	if (!functions->only_made)
		return true;
	module = recent_of(functions, place)->is.symbol.module;
	return module && !strcmp(module, MADE_MODULE);
}

/* The line of a function's code that calls inlined ones is that of the call. */
int functions_inlined(struct functions *functions, uint32_t space, uint64_t address,
		      uint32_t id, struct inlined_function inlined[INLINED_MAX])
{
	const struct place place = { space, id, address };
	struct srclines *lines = functions->lines ? functions->lines :
						    functions->dividing;
	struct srcframe frames[SRCFRAMES_MAX];
	struct found found = { .all = inlined };
	struct srcline line = { 0 };
	uint32_t file;
	size_t n;

	if (!lines || !is_looked_into(functions, &place))
		return 0;
	n = frames_at(functions, lines, &place, frames, SRCFRAMES_MAX, &file);
	if (functions->dividing)
		line = line_at(functions, &place);
	for (size_t i = 0; i < n; i++) {
		if (functions->lines) {
			uint32_t number =
				number_inlined(functions, file, frames[i].function);

			add_line(functions, &found, &line, number);
			add(&found, number, &frames[i].call);
		}
		line = frames[i].call;
	}
	add_line(functions, &found, &line,
		 functions_at(functions, space, address, id, NULL));
	return found.failed ? WM_E_NOMEM : found.n;
}

uint32_t functions_count(const struct functions *functions)
{
	return functions->keys.count;
}

const struct function *functions_get(const struct functions *functions, uint32_t number)
{
	return &functions->all[number];
}

bool functions_match(const struct functions *functions, uint32_t number,
		     const char *pattern)
{
	const struct function *function = functions_get(functions, number);

	return demangle_fits(pattern, function->name) ||
	       (function->name && made_name_fits(pattern, function->name)) ||
	       (function->symbol && pattern_fits(pattern, function->symbol));
}
