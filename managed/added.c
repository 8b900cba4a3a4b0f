// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules leave out what JaCoCo 0.8.12 leaves out of what javac (from 11 on) compiles. Each
 * looks for a sequence of bytecodes that javac emits. Code that somebody wrote and that has the
 * same sequence is left out, too. A class file's annotations and names of fields are not known:
 * "@Generated" leaves nothing out, and each method of a record that does nothing but return a
 * field is an accessor.
 */
#include "managed/added_search.h"

#include <stdlib.h>

/* ---- whole methods ------------------------------------------------------- */

static bool is_named(const struct added_search *search, const char *name,
		     const char *type)
{
	return classes_is(search->classes, search->method->name, name) &&
	       classes_begins(search->classes, search->method->type, type);
}

static bool extends(const struct added_search *search, const char *super)
{
	return classes_is(search->classes, search->class->super, super);
}

/* "private Name() {}", which keeps others from making an object. */
static bool is_empty_constructor(const struct added_search *search)
{
	struct javacode code = added_code(search, 0);
	uint32_t self = 0;

	if (!(search->method->flags & CLASS_PRIVATE) ||
	    !is_named(search, "<init>", "()V"))
		return false;
	javacode_local(&code, JAVA_ALOAD, &self);
	javacode_calls(&code, JAVA_INVOKESPECIAL, NULL, "<init>", "()V");
	javacode_is(&code, JAVA_RETURN);
	return javacode_ends(&code);
}

static bool is_of_enum(const struct added_search *search)
{
	struct javacode code = added_code(search, 0);
	uint32_t self = 0, name = 1, number = 2;

	if (!extends(search, "java/lang/Enum"))
		return false;
	if (is_named(search, "values", "()[L") ||
	    is_named(search, "valueOf", "(Ljava/lang/String;)L"))
		return true;
	if (!(search->method->flags & CLASS_PRIVATE) ||
	    !is_named(search, "<init>", "(Ljava/lang/String;I)V"))
		return false;
	javacode_local(&code, JAVA_ALOAD, &self);
	javacode_local(&code, JAVA_ALOAD, &name);
	javacode_local(&code, JAVA_ILOAD, &number);
	javacode_calls(&code, JAVA_INVOKESPECIAL, "java/lang/Enum", "<init>", NULL);
	javacode_is(&code, JAVA_RETURN);
	return javacode_ends(&code);
}

static bool ends_with_return(struct javacode *code)
{
	int opcode = javacode_opcode(code);

	code->good = opcode >= JAVA_IRETURN && opcode < JAVA_RETURN;
	javacode_any(code);
	return javacode_ends(code);
}

static bool is_of_record(const struct added_search *search)
{
	struct javacode code = added_code(search, 0);
	uint32_t self = 0, other = 1;
	bool compares = is_named(search, "equals", "(Ljava/lang/Object;)Z");

	if (!extends(search, "java/lang/Record"))
		return false;
	javacode_local(&code, JAVA_ALOAD, &self);
	if (compares)
		javacode_local(&code, JAVA_ALOAD, &other);
	if (compares || is_named(search, "toString", "()Ljava/lang/String;") ||
	    is_named(search, "hashCode", "()I"))
		javacode_is(&code, JAVA_INVOKEDYNAMIC);
	else
		javacode_is(&code, JAVA_GETFIELD);
	return ends_with_return(&code);
}

/* A lambda's method is synthetic, and somebody wrote what it does. */
static bool is_synthetic(const struct added_search *search)
{
	return search->class->flags & CLASS_SYNTHETIC ||
	       search->method->flags & CLASS_BRIDGE ||
	       (search->method->flags & CLASS_SYNTHETIC &&
		!classes_begins(search->classes, search->method->name, "lambda$"));
}

/* ---- assertions ---------------------------------------------------------- */

/* Bytecodes: compilers set the field before all others. */
enum { INITIALIZED_WITHIN = 16 };

/* "$assertionsDisabled = !Name.class.desiredAssertionStatus()". Returns its end, or 0. */
static uint32_t sets_assertions(struct javacode code)
{
	javacode_any(&code);
	javacode_calls(&code, JAVA_INVOKEVIRTUAL, "java/lang/Class",
		       "desiredAssertionStatus", NULL);
	javacode_is(&code, JAVA_IFNE);
	javacode_is(&code, JAVA_ICONST_1);
	javacode_is(&code, JAVA_GOTO);
	javacode_is(&code, JAVA_ICONST_0);
	return javacode_is(&code, JAVA_PUTSTATIC) ? code.at : 0;
}

/* Where a static initializer sets the field, at its beginning; *end is 0 where it does not. */
static uint32_t assertions_set(const struct added_search *search,
			       const struct unit *initializer, uint32_t *end)
{
	struct javacode code = javacode_at(search->classes, initializer, 0);
	unsigned left = INITIALIZED_WITHIN;
	uint32_t at;

	do {
		at = code.at;
		*end = sets_assertions(code);
	} while (!*end && --left && javacode_any(&code));
	return at;
}

/* Two accesses of fields of one class, whose operands are equal where the fields are. */
static bool is_same_field(const struct unit *a, uint32_t at, const struct unit *b,
			  uint32_t end)
{
	return a->code[at + 1] == b->code[end - 2] && a->code[at + 2] == b->code[end - 1];
}

/* "if (!$assertionsDisabled)" of an assertion: the field is read, and nobody wrote the branch. */
static void find_assertions(struct added_search *search)
{
	const struct unit *initializer = search->class->initializer;
	uint32_t end = 0;
	uint32_t set = initializer ? assertions_set(search, initializer, &end) : 0;
	struct javacode code = added_code(search, 0);

	if (!end)
		return;
	if (initializer == search->unit)
		added_leave_out(search, set, end);
	do {
		struct javacode next = code;
		uint32_t branch;

		search->work++;
		javacode_is(&next, JAVA_GETSTATIC);
		branch = next.at;
		if (javacode_is(&next, JAVA_IFNE) &&
		    is_same_field(search->unit, code.at, initializer, end))
			added_leave_out(search, branch, next.at);
	} while (search->work < WORK_MOST && javacode_any(&code));
}

/* ---- a method ------------------------------------------------------------ */

/* Each bytecode gets what stands for it, and that a list of those. */
static void settle(struct added_search *search)
{
	struct added *added = search->added;

	for (uint32_t at = 0; at < search->unit->bytes; at++)
		added->copies[at] = added_root(search, at);
	for (uint32_t at = 0; at < search->unit->bytes; at++)
		added->as[at] = search->marks[added->copies[at]] & MARK_LEFT_OUT ?
					ADDED_NOT_WRITTEN :
					added->copies[at];
	for (uint32_t at = (uint32_t)search->unit->bytes; at-- > 0;)
		added->copies[at] = ADDED_NONE;
	for (uint32_t at = (uint32_t)search->unit->bytes; at-- > 0;) {
		uint32_t as = added->as[at];

		if (as == ADDED_NOT_WRITTEN || as == at)
			continue;
		added->copies[at] = added->copies[as];
		added->copies[as] = at;
	}
}

static void search_method(struct added_search *search)
{
	if (is_synthetic(search) || is_of_enum(search) || is_of_record(search) ||
	    is_empty_constructor(search)) {
		added_leave_out(search, 0, (uint32_t)search->unit->bytes);
	} else {
		added_find_handlers(search);
		added_find_switches(search);
		find_assertions(search);
	}
	settle(search);
}

bool added_find(struct added *added, const struct classes *classes,
		const struct unit *unit)
{
	struct added_search search = { .added = added, .classes = classes, .unit = unit };

	*added = (struct added){ .n_ways = 0 };
	search.class = classes_of(classes, unit);
	search.method = classes_method(classes, unit);
	/* Its class is not known. */
	if (!search.method)
		return true;
	added->as = malloc((unit->bytes + 1) * sizeof(*added->as));
	added->copies = malloc((unit->bytes + 1) * sizeof(*added->copies));
	search.marks = calloc(unit->bytes + 1, 1);
	for (uint32_t at = 0; added->as && at < unit->bytes; at++)
		added->as[at] = at;
	search.failed = !added->as || !added->copies || !search.marks;
	if (!search.failed)
		search_method(&search);
	free(search.marks);
	return !search.failed;
}

void added_fini(struct added *added)
{
	free(added->as);
	free(added->copies);
	free(added->ways);
	*added = (struct added){ .n_ways = 0 };
}

bool added_is_way(const struct added *added, uint32_t offset, uint32_t to)
{
	for (size_t i = 0; i < added->n_ways; i++)
		if (added->ways[i].at == offset && added->ways[i].to == to)
			return false;
	return true;
}
