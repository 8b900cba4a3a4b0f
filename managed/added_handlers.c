// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A finally has a copy at each way out of its try, and one for what is thrown through it, which
 * keeps that in a variable and throws it again. Copies have the same opcodes and lines. The last
 * one stands for all of them:
 *
 *	 4: <try>
 *	10: getstatic; iconst_1; iadd; putstatic; goto 40	a copy: as 30; the goto is not written
 *	29: astore 2						not written
 *	30: getstatic; iconst_1; iadd; putstatic
 *	38: aload 2; athrow					not written
 */
#include "isa/jvm.h"
#include "managed/added_search.h"

/* The goto behind what was left out leads to where that would have gone on. */
static void leave_out_goto(struct added_search *search, uint32_t at)
{
	struct javacode code = added_code(search, at);

	if (javacode_is(&code, JAVA_GOTO))
		added_leave_out(search, at, code.at);
}

/* ---- what only cleans up ------------------------------------------------- */

/* A synchronized block gives up its monitor also where something is thrown. */
static void find_synchronized(struct added_search *search, uint32_t handler)
{
	struct javacode code = added_code(search, handler);
	uint32_t thrown = JAVACODE_ANY, monitor = JAVACODE_ANY;

	javacode_local(&code, JAVA_ASTORE, &thrown);
	javacode_local(&code, JAVA_ALOAD, &monitor);
	javacode_is(&code, JAVA_MONITOREXIT);
	javacode_local(&code, JAVA_ALOAD, &thrown);
	if (javacode_is(&code, JAVA_ATHROW))
		added_leave_out(search, handler, code.at);
}

/* An error in the accessor of a record that a pattern takes apart becomes a MatchException. */
static void find_record_pattern(struct added_search *search, uint32_t handler)
{
	struct javacode code = added_code(search, handler);
	uint32_t thrown = JAVACODE_ANY;

	javacode_local(&code, JAVA_ASTORE, &thrown);
	javacode_is(&code, JAVA_NEW);
	javacode_is(&code, JAVA_DUP);
	javacode_local(&code, JAVA_ALOAD, &thrown);
	javacode_calls(&code, JAVA_INVOKEVIRTUAL, NULL, "toString", NULL);
	javacode_local(&code, JAVA_ALOAD, &thrown);
	javacode_calls(&code, JAVA_INVOKESPECIAL, "java/lang/MatchException", "<init>",
		       NULL);
	if (javacode_is(&code, JAVA_ATHROW))
		added_leave_out(search, handler, code.at);
}

/* "if (resource != null) resource.close()", where it may be null. */
static bool closes(struct javacode *code, bool may_be_null, uint32_t *resource)
{
	if (may_be_null) {
		javacode_local(code, JAVA_ALOAD, resource);
		javacode_is(code, JAVA_IFNULL);
	}
	javacode_local(code, JAVA_ALOAD, resource);
	return javacode_calls(code,
			      javacode_opcode(code) == JAVA_INVOKEINTERFACE ?
				      JAVA_INVOKEINTERFACE :
				      JAVA_INVOKEVIRTUAL,
			      NULL, "close", "()V");
}

/*
 * The handler of a try with a resource, which closes it and adds what that throws to what was
 * thrown before. Returns the offset after it, or 0 if the code there is no such handler.
 */
static uint32_t resource_handler(const struct added_search *search, uint32_t handler,
				 bool may_be_null, uint32_t *resource)
{
	struct javacode code = added_code(search, handler);
	uint32_t thrown = JAVACODE_ANY, second = JAVACODE_ANY;

	javacode_local(&code, JAVA_ASTORE, &thrown);
	closes(&code, may_be_null, resource);
	javacode_is(&code, JAVA_GOTO);
	javacode_local(&code, JAVA_ASTORE, &second);
	javacode_local(&code, JAVA_ALOAD, &thrown);
	javacode_local(&code, JAVA_ALOAD, &second);
	javacode_calls(&code, JAVA_INVOKEVIRTUAL, "java/lang/Throwable", "addSuppressed",
		       NULL);
	javacode_local(&code, JAVA_ALOAD, &thrown);
	return javacode_is(&code, JAVA_ATHROW) ? code.at : 0;
}

/*
 * Of the ways out of the try, which close it as well, JaCoCo leaves out the last one: the last
 * end of a range of the handler where it is closed.
 */
static void leave_out_closing(struct added_search *search, uint32_t handler,
			      bool may_be_null, uint32_t resource)
{
	const struct unit *unit = search->unit;
	uint32_t from = 0, to = 0;

	for (uint32_t i = 0; i < unit->n_handlers; i++) {
		const struct unit_handler *range = &unit->handlers[i];
		struct javacode code = added_code(search, range->to);

		search->work++;
		if (range->target != handler || range->to < from ||
		    !closes(&code, may_be_null, &resource))
			continue;
		from = range->to;
		to = code.at;
	}
	added_leave_out(search, from, to);
	if (to)
		leave_out_goto(search, to);
}

static void find_resource(struct added_search *search, uint32_t handler)
{
	for (unsigned may_be_null = 0; may_be_null < 2; may_be_null++) {
		uint32_t resource = JAVACODE_ANY;
		uint32_t end = resource_handler(search, handler, may_be_null, &resource);

		if (!end)
			continue;
		added_leave_out(search, handler, end);
		leave_out_closing(search, handler, may_be_null, resource);
	}
}

/* ---- finally ------------------------------------------------------------- */

/* What is between "astore t" and "aload t; athrow" of a handler. */
struct finally {
	uint32_t handler, body, size, body_end, end; /* size: in bytecodes */
};

static bool find_body(struct added_search *search, uint32_t handler,
		      struct finally *finally)
{
	struct javacode code = added_code(search, handler);
	uint32_t thrown = JAVACODE_ANY;

	javacode_local(&code, JAVA_ASTORE, &thrown);
	*finally = (struct finally){ .handler = handler, .body = code.at };
	do {
		struct javacode end = code;

		search->work++;
		finally->body_end = code.at;
		javacode_local(&end, JAVA_ALOAD, &thrown);
		if (javacode_is(&end, JAVA_ATHROW)) {
			finally->end = end.at;
			return finally->size > 0;
		}
		finally->size++;
	} while (javacode_any(&code));
	return false;
}

/* Whether the bytecodes from `at` on are a copy of the body. */
static bool is_copy(struct added_search *search, const struct finally *finally,
		    uint32_t at)
{
	struct javacode body = added_code(search, finally->body),
			copy = added_code(search, at);

	for (uint32_t i = 0; i < finally->size; i++) {
		if (javacode_opcode(&body) != javacode_opcode(&copy) ||
		    unit_line(search->unit, body.at) != unit_line(search->unit, copy.at))
			return false;
		search->work++;
		javacode_any(&body);
		if (!javacode_any(&copy))
			return false;
	}
	return true;
}

static void try_copy(struct added_search *search, const struct finally *finally,
		     uint32_t at)
{
	struct javacode body = added_code(search, finally->body),
			copy = added_code(search, at);

	search->work++;
	if (at >= search->unit->bytes || search->marks[at] & MARK_INSIDE ||
	    !is_copy(search, finally, at))
		return;
	for (uint32_t i = 0; i < finally->size; i++) {
		search->added->as[added_root(search, copy.at)] =
			added_root(search, body.at);
		javacode_any(&body);
		javacode_any(&copy);
	}
	added_leave_out(search, finally->handler, finally->body);
	added_leave_out(search, finally->body_end, finally->end);
	leave_out_goto(search, copy.at);
}

/* Looks for copies where the bytecodes of a try lead out of it. */
static void try_exits(struct added_search *search, const struct finally *finally,
		      const struct unit_handler *range)
{
	const struct unit *unit = search->unit;
	bool continues = false;
	uint32_t at = range->from;
	size_t length;

	for (; at < range->to && search->work < WORK_MOST &&
	       (length = unit_length(unit, at));
	     at += (uint32_t)length) {
		enum jvm_kind kind = jvm_kind(unit->code[at]);
		int64_t target;

		search->work++;
		if ((kind == JVM_BRANCH || kind == JVM_GOTO) &&
		    jvm_target(unit->code, unit->bytes, at, 0, &target) && target >= 0 &&
		    target < (int64_t)unit->bytes)
			try_copy(search, finally, (uint32_t)target);
		continues = kind != JVM_GOTO && kind != JVM_RETURN && kind != JVM_THROW;
	}
	if (continues)
		try_copy(search, finally, at);
}

/* Whether the range has an end and a handler, in the method, and is of that handler. */
static bool is_of(const struct added_search *search, const struct unit_handler *range,
		  uint32_t handler)
{
	return range->target == handler && range->from <= range->to &&
	       range->to <= search->unit->bytes;
}

/* Marks what is within the ranges of a handler, and nothing else. */
static void mark_inside(struct added_search *search, uint32_t handler)
{
	const struct unit *unit = search->unit;

	for (uint32_t at = 0; at < unit->bytes; at++)
		search->marks[at] &= (uint8_t)~MARK_INSIDE;
	search->work += (uint32_t)unit->bytes;
	for (uint32_t i = 0; i < unit->n_handlers && search->work < WORK_MOST; i++) {
		const struct unit_handler *range = &unit->handlers[i];

		search->work++;
		if (!is_of(search, range, handler))
			continue;
		for (uint32_t at = range->from; at < range->to; at++)
			search->marks[at] |= MARK_INSIDE;
		search->work += range->to - range->from;
	}
}

/* A catch clause of the same try, which is empty, goes on with a copy as well. */
static void try_empty_catches(struct added_search *search, const struct finally *finally,
			      const struct unit_handler *range)
{
	const struct unit *unit = search->unit;

	for (uint32_t i = 0; i < unit->n_handlers && search->work < WORK_MOST; i++) {
		const struct unit_handler *other = &unit->handlers[i];
		struct javacode code = added_code(search, other->target);

		search->work++;
		if (other->target != finally->handler && other->from == range->from &&
		    other->to == range->to && javacode_any(&code) &&
		    !(search->marks[other->target] & MARK_INSIDE))
			try_copy(search, finally, code.at);
	}
}

static void find_finally(struct added_search *search, uint32_t handler)
{
	const struct unit *unit = search->unit;
	struct finally finally;

	if (!find_body(search, handler, &finally))
		return;
	mark_inside(search, handler);
	for (uint32_t i = 0; i < unit->n_handlers && search->work < WORK_MOST; i++) {
		const struct unit_handler *range = &unit->handlers[i];

		search->work++;
		if (!is_of(search, range, handler))
			continue;
		try_exits(search, &finally, range);
		try_empty_catches(search, &finally, range);
	}
}

void added_find_handlers(struct added_search *search)
{
	const struct unit *unit = search->unit;

	for (uint32_t i = 0; i < unit->n_handlers && search->work < WORK_MOST; i++) {
		uint32_t target = unit->handlers[i].target;

		search->work++;
		if (target >= unit->bytes || search->marks[target] & MARK_HANDLER)
			continue;
		search->marks[target] |= MARK_HANDLER;
		find_resource(search, target);
		find_synchronized(search, target);
		find_record_pattern(search, target);
		find_finally(search, target);
	}
}
