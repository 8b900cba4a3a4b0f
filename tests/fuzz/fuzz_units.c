// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any notes of a guest about its methods: what is taken of them can be asked about, at every
 * offset. The input is a kind, a length of two bytes, and the note, again and again.
 */
#include "analysis/methods/bytecode_text.h"
#include "format/note_form.h"
#include "fuzz.h"
#include "managed/added.h"
#include "managed/callees.h"
#include "managed/methods.h"

enum { NOTES = 64, TEXT = 64 };

/* What the recorder takes into a file is taken out of it, too. */
static bool are_formed(const struct notes_trace *notes)
{
	for (size_t i = 0; i < notes->n; i++) {
		const struct trace_note *note = &notes->notes[i];

		if (!note_is_formed(note->kind, span_of(note->data, note->bytes)))
			return false;
	}
	return true;
}

static void check_unit(const struct unit *unit)
{
	struct unit_ways ways;
	char text[TEXT];

	method_title(unit, text, sizeof(text));
	for (uint32_t i = 0; i < unit->bytes; i++) {
		size_t length = unit_length(unit, i);

		MUST(length <= unit->bytes - i);
		if (unit_ways(unit, i, &ways))
			MUST(ways.n > 1 && ways.n <= UNIT_WAYS);
		unit_leaves(unit, i);
		unit_enters(unit, i);
		unit_catches(unit, i, i);
	}
}

/* Each bytecode has one that stands for it, which has it in its list. */
static void check_added(const struct classes *classes, const struct unit *unit)
{
	struct added added;
	size_t copies = 0, others = 0;

	MUST(added_find(&added, classes, unit));
	for (uint32_t i = 0; added.as && i < unit->bytes; i++) {
		uint32_t as = added.as[i];

		if (as == ADDED_NOT_WRITTEN)
			continue;
		MUST(as < unit->bytes && added.as[as] == as);
		others += as != i;
		for (uint32_t k = i; as == i && (k = added_copy(&added, k)) != ADDED_NONE;
		     copies++)
			MUST(added.as[k] == i);
	}
	MUST(copies == others);
	added_fini(&added);
}

/* What an operand names is cut to the room that there is, however much that is. */
static void check_texts(const struct bytecode_names *names, const struct unit *unit)
{
	char text[TEXT];

	for (uint32_t i = 0; i < unit->bytes; i++)
		for (size_t size = 1; size <= TEXT; size += 9) {
			bytecode_text(names, unit, i, text, size);
			MUST(memchr(text, 0, size));
		}
}

static void check_calls(const struct units *units)
{
	struct callee_set set;
	struct callees callees;
	struct wm_error err;
	int ret = callees_read(&callees, units, &err);

	MUST(!ret || (ret == WM_E_DAMAGED && !are_formed(&units->notes)));
	for (size_t i = 0; !ret && i < units->n; i++)
		check_added(&callees.classes, &units->all[i]);
	for (size_t i = 0; !ret && i < units->n; i++)
		for (uint32_t k = 0; k < units->all[i].bytes; k++)
			MUST(callees_find(&callees, &units->all[i], k, &set));
	callees_fini(&callees);
}

static void check_names(const struct units *units)
{
	struct bytecode_names names;
	struct wm_error err;
	int ret = bytecode_names_read(&names, units, &err);

	MUST(!ret || (ret == WM_E_DAMAGED && !are_formed(&units->notes)));
	for (size_t i = 0; !ret && i < units->n; i++)
		check_texts(&names, &units->all[i]);
	bytecode_names_fini(&names);
}

static void check(const struct units *units)
{
	struct methods methods;
	struct wm_error err;

	MUST(!methods_init(&methods, units, &err));
	for (size_t i = 0; i < units->n; i++) {
		const struct unit *unit = &units->all[i];
		const struct unit *found =
			units_find(units, unit->space, unit->start, units->notes.n);

		MUST(!found || unit->start - found->start < found->bytes);
		MUST(methods_number(&methods, unit) < methods.n);
		check_unit(unit);
	}
	methods_fini(&methods);
	check_calls(units);
	check_names(units);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct input input = { data, data + bytes };
	struct trace_note notes[NOTES] = { 0 };
	struct units units = { .n = 0 };
	struct wm_error err;
	int ret;

	watch_cpu();
	for (; input.at < input.end && units.notes.n < NOTES; units.notes.n++) {
		struct trace_note *note = &notes[units.notes.n];
		size_t left;

		note->kind = take(&input);
		note->bytes = take(&input);
		note->bytes |= (uint64_t)take(&input) << 8;
		left = (size_t)(input.end - input.at);
		note->bytes = note->bytes < left ? note->bytes : left;
		note->data = input.at;
		input.at += note->bytes;
	}
	units.notes.left = UINT64_MAX;
	units.notes.notes = notes;
	ret = units.notes.n ? units_take(&units, &err) : 0;
	MUST(!ret || (ret == WM_E_DAMAGED && !are_formed(&units.notes)));
	if (!ret)
		check(&units);
	units.notes = (struct notes_trace){ .n = 0 };
	units_fini(&units);
	return 0;
}
