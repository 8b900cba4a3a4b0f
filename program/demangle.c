// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of C++, Rust, D and Fortran as the programmer wrote them.
 *
 * A mangled name may refer back to its own parts, so a few hundred bytes can stand for
 * gigabytes, and names come from files that anyone may have made. Demanglers that write
 * to a callback are left by longjmp() as soon as the name is too long. The one for D only
 * returns a whole name, so a name that could grow so far is not given to it.
 *
 * Example: _ZN3foo3barEi is foo::bar(int); _ZN3foo3barEi@plt is foo::bar(int)@plt.
 *
 * Invariant: what replaces the mangled part of a symbol has at most NAME_MAX_BYTES.
 */
#include "program/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"

/*
 * Compilers cut and hash names far shorter than SYMBOL_MAX. A name that grows beyond
 * NAME_MAX_BYTES is an attack.
 */
enum { SYMBOL_MAX = 4096, NAME_MAX_BYTES = 65536, D_BACK_MAX = 16 };

/* A name as it is written. */
struct writing {
	size_t n;
	jmp_buf enough;
	char text[NAME_MAX_BYTES + 1];
};

/*
 * The callback of the demanglers. n is compared with what is left, so the sum cannot
 * overflow.
 */
static void put(const char *text, size_t n, void *cookie)
{
	struct writing *writing = cookie;

	if (n > NAME_MAX_BYTES - writing->n)
		longjmp(writing->enough, 1);
	memcpy(writing->text + writing->n, text, n);
	writing->n += n;
}

/*
 * Tries Rust first, as cplus_demangle() does, because names of Rust's older scheme are
 * valid names of C++ as well. A failed attempt may have written a part, which is
 * discarded.
 */
static bool write_name(struct writing *writing, const char *symbol)
{
	enum { OPTIONS = DMGL_PARAMS | DMGL_ANSI };

	/*
	 * longjmp() leaves the demangler at once; a buffer that it holds at that moment
	 * is lost.
	 */
	if (setjmp(writing->enough))
		return false;
	if (rust_demangle_callback(symbol, OPTIONS, put, writing))
		return true;
	writing->n = 0;
	return cplus_demangle_v3_callback(symbol, OPTIONS, put, writing);
}

/*
 * A name of C++ or Rust. The buffer is on the heap: 64 KiB would be much for a thread's
 * stack.
 */
static char *demangle_written(const char *symbol)
{
	struct writing *writing = malloc(sizeof(*writing));
	char *name = NULL;

	if (!writing)
		return NULL;
	writing->n = 0;
	if (write_name(writing, symbol))
		name = strndup(writing->text, writing->n);
	free(writing);
	return name;
}

/*
 * In D's scheme a Q refers back to an earlier part of the name. Up to D_BACK_MAX of them
 * make the result at most some hundred times as long as the symbol.
 */
static char *demangle_d(const char *symbol)
{
	unsigned back = 0;

	for (const char *at = symbol; (at = strchr(at, 'Q')); at++)
		back++;
	return back <= D_BACK_MAX ?
		       cplus_demangle(symbol, DMGL_PARAMS | DMGL_ANSI | DMGL_DLANG) :
		       NULL;
}

/*
 * gfortran's name of a procedure of a module: "__shop_MOD_sell" is shop::sell, as gdb has it.
 * Fortran's names have no capital letters, so the first "_MOD_" is the compiler's.
 */
static char *demangle_fortran(const char *symbol)
{
	const char *module = symbol + 2, *mark = strstr(module, "_MOD_");
	char *name;

	if (strncmp(symbol, "__", 2) != 0 || !mark || mark == module || !mark[5] ||
	    asprintf(&name, "%.*s::%s", (int)(mark - module), module, mark + 5) < 0)
		return NULL;
	return name;
}

/*
 * Chooses the scheme by the prefix. Not auto-detection: the scheme of Ada accepts plain
 * names of C and would change them.
 */
static char *demangle_any(const char *symbol)
{
	if (!strncmp(symbol, "_D", 2))
		return demangle_d(symbol);
	if (!strncmp(symbol, "_Z", 2) || !strncmp(symbol, "_R", 2))
		return demangle_written(symbol);
	return demangle_fortran(symbol);
}

/* `symbol` up to its "@plt" or "@@VERSION", demangled; NULL when it is not mangled. */
static char *demangle_stem(const char *symbol, size_t stem)
{
	char text[SYMBOL_MAX + 1], *name;

	if (stem > SYMBOL_MAX)
		return NULL;
	memcpy(text, symbol, stem);
	text[stem] = 0;
	name = demangle_any(text);
	/* D's names are returned whole and were not counted. */
	if (name && strlen(name) > NAME_MAX_BYTES) {
		free(name);
		name = NULL;
	}
	return name;
}

/*
 * What begins at "@" is not part of the mangled name, but distinguishes foo@plt from foo.
 */
char *demangle(const char *symbol)
{
	size_t stem = strcspn(symbol, "@");
	char *name = demangle_stem(symbol, stem), *whole;

	if (!name)
		return strdup(symbol);
	if (!symbol[stem])
		return name;
	if (asprintf(&whole, "%s%s", name, symbol + stem) < 0)
		whole = NULL;
	free(name);
	return whole;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the text before `at` ends with a word. */
static bool follows(const char *name, const char *at, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(at - name) >= length && !memcmp(at - length, word, length);
}

/* What follows a bracket, such as "(auto)", at the begin of a text; NULL: it is not closed. */
static const char *behind_bracket(const char *text, char open, char close)
{
	int depth = 0;

	for (; *text; text++) {
		depth += (*text == open) - (*text == close);
		if (!depth)
			return text + 1;
	}
	return NULL;
}

/*
 * The length of a name up to the "(" of its parameters. Other uses of "(" are skipped: that of
 * "(anonymous namespace)", the first of "operator()(int)", and those of "decltype(auto) f()" and
 * D's "twice!(int).twice(int)".
 */
static size_t length_without_parameters(const char *name)
{
	static const char anonymous[] = "(anonymous namespace)";

	for (const char *at = name; at && (at = strchr(at, '('));) {
		if (follows(name, at, "decltype") || follows(name, at, "decltype ") ||
		    (follows(name, at, "!") && !follows(name, at, "operator!")))
			at = behind_bracket(at, '(', ')');
		else if (at == name || !strncmp(at, anonymous, sizeof(anonymous) - 1) ||
			 follows(name, at, "operator"))
			at++;
		else
			return (size_t)(at - name);
	}
	return strlen(name);
}

/*
 * Where the name begins behind the type that it returns, which symbols of templates have: 4 of
 * "int shop::sum<int>(int)". Blanks in brackets and behind "operator" are the name's own, and
 * a thunk is not the function that it leads to.
 */
static size_t length_of_type(const char *name, size_t length)
{
	size_t begin = 0;
	int depth = 0;

	if (strstr(name, " thunk to "))
		return 0;
	for (size_t i = 0; i < length; i++) {
		if (!depth && !strncmp(name + i, "operator", 8))
			break;
		depth += (name[i] == '<' || name[i] == '(' || name[i] == '{') -
			 (name[i] == '>' || name[i] == ')' || name[i] == '}');
		if (!depth && name[i] == ' ')
			begin = i + 1;
	}
	return begin;
}

/*
 * Whether a name is D's, of which dots divide the parts: "app.Book.cost(int) const". C++ and Rust
 * have "::", Go's "main.(*Book).cost" has no word before its bracket, and C's "sort.part.0" none.
 */
static bool is_of_d(const char *name, size_t length)
{
	return name[length] == '(' && length && is_word(name[length - 1]) &&
	       memchr(name, '.', length) && !strstr(name, "::");
}

/* Where the next part of a name begins, after `at`; NULL: that was the last. */
static const char *next_part(const char *at, bool of_d)
{
	int depth = 0;

	if (!of_d) {
		at = strstr(at, "::");
		return at ? at + 2 : NULL;
	}
	/* The arguments of templates have dots, too. */
	for (; *at; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth && *at == '.')
			return at + 1;
	}
	return NULL;
}

/*
 * The whole name, then the name from its begin and from each "::" on (of D's from each dot), with
 * parameters and without. Example for "shop::Book::match(int)": the whole, "shop::Book::match",
 * "Book::match(int)", "Book::match", "match(int)", "match".
 */
static bool each_part(const char *name, bool (*take)(void *cookie, const char *part),
		      void *cookie)
{
	size_t length = length_without_parameters(name);
	bool of_d = is_of_d(name, length);
	char part[1024];
	const char *at;

	if (take(cookie, name))
		return true;
	/* A longer name counts as a whole only. */
	if (length >= sizeof(part))
		return false;
	memcpy(part, name, length);
	part[length] = 0;
	if (take(cookie, part))
		return true;
	/* D's symbols have no type that is returned. */
	at = part + (of_d ? 0 : length_of_type(name, length));
	for (; at; at = next_part(at, of_d)) {
		if (take(cookie, name + (at - part)) || take(cookie, at))
			return true;
	}
	return false;
}

/*
 * A copy of a name without the arguments of its templates: "Book::match(int)" for
 * "Book<char>::match<long>(int)". Arguments stand behind a name: the "<" of "<lambda(int)>" is
 * part of one, and so is that of "operator<", from which on all is copied. NULL: it has no
 * "<", or no memory.
 */
static char *without_arguments(const char *name)
{
	char *copy = strchr(name, '<') ? strdup(name) : NULL, *to = copy;
	bool in_name = false;

	if (!copy)
		return NULL;
	while (*name && (in_name || strncmp(name, "operator", 8) != 0)) {
		const char *behind = *name == '<' && in_name ?
					     behind_bracket(name, '<', '>') :
					     name + 1;

		/* Not closed: the rest is not looked at, which bounds the time. */
		if (!behind)
			break;
		if (*name != '<' || !in_name)
			*to++ = *name;
		in_name = is_word(behind[-1]);
		name = behind;
	}
	strcpy(to, name);
	return copy;
}

/* Where a word stands in a text, but not in brackets within it; NULL: nowhere before `end`. */
static const char *outside_brackets(const char *text, const char *end, const char *word)
{
	int depth = 0;

	for (; text < end; text++) {
		depth += (*text == '<' || *text == '(') - (*text == '>' || *text == ')');
		if (!depth && !strncmp(text, word, strlen(word)))
			return text;
	}
	return NULL;
}

/*
 * Rust's "<shop::Book as Shape>::area", "<shop::Book>::area" and "shop::<impl Shape for
 * shop::Book>::area" as programmers call them: "shop::Book::area". NULL: it is no such name,
 * or no memory.
 */
static char *of_type(const char *name)
{
	const char *open = *name == '<' ? name : strstr(name, "::<impl ");
	const char *type, *end, *behind, *as, *is_for;
	char *plain;

	if (!open)
		return NULL;
	open += *open == ':' ? 2 : 0;
	behind = behind_bracket(open, '<', '>');
	if (!behind || strncmp(behind, "::", 2) != 0)
		return NULL;
	type = open + (strncmp(open, "<impl ", 6) ? 1 : 6);
	end = behind - 1;
	is_for = outside_brackets(type, end, " for ");
	type = is_for ? is_for + 5 : type;
	as = outside_brackets(type, end, " as ");
	end = as ? as : end;
	if (asprintf(&plain, "%.*s%s", (int)(end - type), type, behind) < 0)
		return NULL;
	return plain;
}

bool demangle_each(const char *name, bool (*take)(void *cookie, const char *part),
		   void *cookie)
{
	char *own, *plain;
	bool taken;

	if (each_part(name, take, cookie))
		return true;
	own = of_type(name);
	plain = without_arguments(own ? own : name);
	taken = (own && each_part(own, take, cookie)) ||
		(plain && each_part(plain, take, cookie));
	free(own);
	free(plain);
	return taken;
}

static bool fits(void *pattern, const char *part)
{
	return pattern_fits(pattern, part);
}

bool demangle_fits(const char *pattern, const char *name)
{
	return demangle_each(name, fits, (void *)pattern);
}

/*
 * The function's own word in a name: "match" of "shop::Book::match(int)". False: the name is not
 * of that form, as patterns, operators, destructors and closures are not.
 */
static bool own_word(const char *name, char *word, size_t size)
{
	size_t end = strcspn(name, "("), begin = end;

	while (begin && is_word(name[begin - 1]))
		begin--;
	for (size_t i = 0; i < begin; i++)
		if (!is_word(name[i]) && name[i] != ':')
			return false;
	if (begin == end || end - begin >= size ||
	    (name[end] && strpbrk(name + end, "*?[\\")))
		return false;
	memcpy(word, name + begin, end - begin);
	word[end - begin] = 0;
	return strcmp(word, "operator") != 0;
}

/* Whether a symbol may be of a constructor or a destructor: C1 to C5, D0 to D5. */
static bool may_construct(const char *symbol)
{
	for (; *symbol; symbol++)
		if ((*symbol == 'C' || *symbol == 'D') && symbol[1] >= '0' &&
		    symbol[1] <= '5')
			return true;
	return false;
}

/*
 * C++ and Rust replace what was before in a symbol by a reference, but never the last word of a
 * function's name: it is there as it is. Constructors have their class's name, which may have
 * been replaced. D replaces words, too.
 */
bool demangle_may_have(const char *symbol, const char *name)
{
	char word[256];

	if (*symbol != '_')
		return false;
	return !strncmp(symbol, "_D", 2) || !own_word(name, word, sizeof(word)) ||
	       strstr(symbol, word) || may_construct(symbol);
}

static bool is_equal(void *name, const char *part)
{
	return !strcmp(name, part);
}

bool demangle_names(const char *symbol, const char *name)
{
	char *full = demangle_may_have(symbol, name) ? demangle(symbol) : NULL;
	bool has = !strcmp(symbol, name) ||
		   (full && demangle_each(full, is_equal, (void *)name));

	free(full);
	return has;
}
