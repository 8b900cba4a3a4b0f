// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options for values beside the path. Where QEMU shows registers depends on its version:
 * from 9.2 on by its plugin API, anywhere in a block; 7.2 at the start of blocks only, in
 * its CPU state, whose layout is known for RISC-V. So with 7.2 a commit log, or a value at
 * a line, needs blocks of one instruction each, which its option -singlestep makes. Versions
 * between have another layout.
 *
 * Example: --value 'parse.c:120:s3,mem(sp+8,4)' is a landmark (ORDER_VALUE, 0) for the line,
 * and value 0 with two items: register 19, and 4 bytes at register 2 plus 8.
 */
#include "cli/record/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/record/windows.h"
#include "cli/values.h"
#include "format/values.h"
#include "isa/registers.h"
#include "out/number.h"

/* No key is a letter: these options have no short form. */
enum {
	OPTION_MEM = 256 + 80,
	OPTION_MEM_VALUES,
	OPTION_COMMITS,
	OPTION_VALUE,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Values beside the path:", 4 },
	{ "mem", OPTION_MEM, "loads|stores|all", OPTION_ARG_OPTIONAL,
	  "Record the addresses of accesses to memory, too (all)", 0 },
	{ "mem-values", OPTION_MEM_VALUES, NULL, 0,
	  "The same, and the data that they read and write", 0 },
	{ "commits", OPTION_COMMITS, NULL, 0,
	  "Record every register and memory write: for a --window, it is slow", 0 },
	{ "value", OPTION_VALUE, "PLACE:ITEMS", 0,
	  "Record registers, mem(REGISTER+OFFSET,SIZE) there, or ret, what a function "
	  "returns; can be given many times",
	  0 },
	{ 0 },
};

/* Both arrays have the same order. */
static uint32_t choose_accesses(const char *arg, struct argp_state *state)
{
	static const char *const choices[] = { "loads", "stores", "all", NULL };
	static const uint32_t accesses[] = { VALUES_LOADS, VALUES_STORES, VALUES_ALL };

	return accesses[choice_or_end(arg ? arg : "all", "mem", choices, state)];
}

/*
 * Where the items begin: after the last colon, because items have none while a place may
 * have several. NULL: there are no items, or there is no place.
 */
static const char *find_items(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon != text && colon[1] ? colon + 1 : NULL;
}

/*
 * Kinds above POSITION_ADDRESS are moments, such as a marker or a time, and "times"
 * selects one execution: at neither can a value be recorded each time.
 */
static int parse_place(struct record_value *value, struct wm_error *err)
{
	char *place = strndup(value->text, (size_t)(value->items - 1 - value->text));
	int ret;

	if (!place)
		return wm_fail_nomem(err, "places in the code");
	ret = position_parse(&value->place, place, err);
	free(place);
	if (!ret && (value->place.kind > POSITION_ADDRESS || value->place.times > 1)) {
		position_fini(&value->place);
		ret = wm_fail(
			err, WM_E_RANGE, 0,
			"\"%.200s\": a value is recorded at a function, FILE:LINE or "
			"0xADDRESS, each time",
			value->text);
	}
	return ret;
}

/*
 * Keeps the items as text: names of registers need the guest's ISA, which is known only
 * when the guest was found.
 */
static void add_place(struct record_values *values, const char *arg,
		      struct argp_state *state)
{
	struct record_value value = { .text = arg, .items = find_items(arg) };
	struct wm_error err;

	if (!value.items)
		argp_error(state,
			   "--value takes PLACE:ITEMS such as main:a0,ret, not \"%s\"",
			   arg);
	else if (values->n_places == ORDER_VALUES_MAX)
		argp_error(state, "there can be %d --value at most", ORDER_VALUES_MAX);
	else if (parse_place(&value, &err))
		argp_error(state, "%s", err.text);
	else
		values->places[values->n_places++] = value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_values *values = state->input;

	switch (key) {
	case OPTION_MEM:
		values->accesses = choose_accesses(arg, state);
		return 0;
	case OPTION_MEM_VALUES:
		values->data = true;
		return 0;
	case OPTION_COMMITS:
		values->commits = true;
		return 0;
	case OPTION_VALUE:
		add_place(values, arg, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_values_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

/*
 * --commits implies everything that an instruction writes: registers, and memory with its
 * data. --mem-values alone means all accesses, with --mem those that it names.
 */
uint32_t record_values_wanted(const struct record_values *values)
{
	uint32_t wanted = values->accesses | (values->n_places ? VALUES_PLACES : 0);

	if (values->commits)
		return wanted | VALUES_ALL | VALUES_DATA | VALUES_WRITTEN;
	/* The data of all accesses, unless --mem names some. */
	if (values->data)
		wanted |= VALUES_DATA | (values->accesses ? 0 : VALUES_ALL);
	return wanted;
}

/* ---- values at places ---------------------------------------------------- */

static int no_register(const char *isa, const char *name, struct wm_error *err)
{
	return wm_fail(err, WM_E_RANGE, 0, "%s has no register \"%.20s\"; there are %s",
		       isa, name, register_list(isa));
}

/* Numbers are those of the guest's ISA as the file stores them (isa/registers.h). */
static int find_register(struct order_item *item, const char *isa, const char *name,
			 struct wm_error *err)
{
	int number = register_number(isa, name);

	if (number < 0)
		return no_register(isa, name, err);
	item->number = (uint16_t)number;
	return 0;
}

static int bad_memory(const char *text, struct wm_error *err)
{
	return wm_fail(err, WM_E_RANGE, 0,
		       "\"%.60s\" is no memory: write mem(REGISTER+OFFSET,SIZE), with a "
		       "SIZE of 1, 2, 4, 8 or 16 bytes",
		       text);
}

static int no_base(const char *text, const char *isa, const char *name,
		   struct wm_error *err)
{
	return wm_fail(
		err, WM_E_RANGE, 0,
		"\"%.60s\" is no memory: write mem(REGISTER+OFFSET,SIZE); %s has no "
		"register \"%.20s\"; there are %s",
		text, isa, name, register_list(isa));
}

/* "+8", "-0x10", or nothing. */
static bool get_offset(const char *text, int64_t *offset)
{
	uint64_t number;

	*offset = 0;
	if (!*text)
		return true;
	if (!number_parse(text + 1, &number) || number > INT32_MAX)
		return false;
	*offset = *text == '-' ? -(int64_t)number : (int64_t)number;
	return true;
}

/* The log2 of a number of bytes; above VALUE_SIZE_MAX when no access has that size. */
static uint8_t size_of(const char *text)
{
	uint64_t bytes;
	uint8_t size = 0;

	if (!number_parse(text, &bytes))
		return UINT8_MAX;
	while (size <= VALUE_SIZE_MAX && UINT64_C(1) << size != bytes)
		size++;
	return size;
}

/*
 * Parses "mem(sp+8,4)" and writes NULs into it: the ")" and the "," first, then the sign,
 * so that each part ends where the next begins.
 */
static int parse_memory(struct order_item *item, char *text, const char *isa,
			struct wm_error *err)
{
	char whole[64], *comma = strchr(text, ','), *sign = strpbrk(text, "+-"), *end;

	snprintf(whole, sizeof(whole), "%s", text);
	end = text + strlen(text) - 1;
	if (!comma || *end != ')' || (sign && sign > comma))
		return bad_memory(whole, err);
	*comma = *end = 0;
	item->kind = VALUE_MEMORY;
	item->size = size_of(comma + 1);
	if (item->size > VALUE_SIZE_MAX || !get_offset(sign ? sign : "", &item->offset))
		return bad_memory(whole, err);
	if (sign)
		*sign = 0;
	text += strlen("mem(");
	return find_register(item, isa, text, NULL) ? no_base(whole, isa, text, err) : 0;
}

/*
 * A returned value is recorded where the call returns to, and calls are noticed at a
 * function's entry only.
 */
static int parse_returned(struct order_item *item, const struct position *place,
			  const char *isa, struct wm_error *err)
{
	if (place->kind != POSITION_SYMBOL || place->value)
		return wm_fail(err, WM_E_RANGE, 0,
			       "ret is what a function returns: name the function, and "
			       "no place in it");
	item->kind = VALUE_RETURNED;
	item->number = (uint16_t)register_returned(isa);
	return 0;
}

static int parse_item(struct order_item *item, char *text, const struct position *place,
		      const char *isa, struct wm_error *err)
{
	*item = (struct order_item){ .kind = VALUE_REGISTER };
	if (!strcmp(text, "ret"))
		return parse_returned(item, place, isa, err);
	if (!strncmp(text, "mem(", 4))
		return parse_memory(item, text, isa, err);
	/* No register has these in its name. */
	if (!strncmp(text, "mem", 3) || strpbrk(text, "()+"))
		return bad_memory(text, err);
	return find_register(item, isa, text, err);
}

/* The end of an item: a comma that is not in parentheses, or the end of all. */
static char *end_of_item(char *text)
{
	bool inside = false;

	for (; *text && (*text != ',' || inside); text++)
		inside = *text == '(' || (inside && *text != ')');
	return text;
}

/*
 * Parses "a0,ret,mem(sp+8,4)" and replaces the commas between items by NULs. An order has
 * room for ORDER_ITEMS_MAX items, because it lies in shared memory.
 */
static int parse_items(struct order_value *order, char *text,
		       const struct record_value *value, const char *isa,
		       struct wm_error *err)
{
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		char *end = end_of_item(text);

		more = *end;
		*end = 0;
		if (order->items == ORDER_ITEMS_MAX)
			return wm_fail(err, WM_E_RANGE, 0,
				       "\"%.200s\" has more than %d items; give --value "
				       "twice",
				       value->text, ORDER_ITEMS_MAX);
		ret = parse_item(&order->item[order->items++], text, &value->place, isa,
				 err);
		text = end + 1;
	}
	return ret;
}

/* Invariant: value n of the steering is the n-th --value; join_lines() relies on it. */
static int apply(const struct record_value *value, const char *isa,
		 struct steering *steering, struct wm_error *err)
{
	struct order_value *order = &steering->values[steering->n_values];
	char *items = strdup(value->items);
	int ret;

	if (!items)
		return wm_fail_nomem(err, "places in the code");
	ret = parse_items(order, items, value, isa, err);
	free(items);
	return ret ? ret :
		     record_add_place(steering, &value->place, ORDER_VALUE,
				      steering->n_values++, value->text, err);
}

/*
 * Joins the options, one a line: a firing refers to its place by the number of the line.
 */
static const char *join_lines(struct record_values *values)
{
	for (uint32_t i = 0; i < values->n_places; i++) {
		if (i)
			buf_put_u8(&values->lines, '\n');
		buf_put(&values->lines, values->places[i].text,
			strlen(values->places[i].text));
	}
	buf_put_u8(&values->lines, 0);
	return values->lines.failed ? NULL : (const char *)values->lines.data;
}

/*
 * Without --value nothing is checked: accesses can be recorded of a guest whose registers
 * have no names here.
 */
int record_values_apply(struct record_values *values, const char *isa,
			struct steering *steering, struct wm_error *err)
{
	int ret = 0;

	if (!values->n_places)
		return 0;
	if (!register_list(isa))
		return wm_fail(err, WM_E_RANGE, 0,
			       "--value knows no registers of %s, only those of riscv64, "
			       "riscv32, aarch64 and x86_64",
			       isa);
	for (uint32_t i = 0; i < values->n_places && !ret; i++)
		ret = apply(&values->places[i], isa, steering, err);
	steering->value_places = join_lines(values);
	return ret || steering->value_places ? ret :
					       wm_fail_nomem(err, "places in the code");
}

void record_values_fini(struct record_values *values)
{
	for (uint32_t i = 0; i < values->n_places; i++)
		position_fini(&values->places[i].place);
	buf_fini(&values->lines);
}

/* ---- which QEMU can ------------------------------------------------------ */

static bool is_riscv(const char *isa)
{
	return !strncmp(isa, "riscv", 5);
}

/* Whether registers are read from QEMU's CPU state, at the start of blocks. */
static bool is_by_state(const char *version)
{
	return !strncmp(version, "7.2.", 4);
}

/* Whether neither the state nor the plugin API gives registers. */
static bool is_between(const char *version)
{
	return !strncmp(version, "8.", 2);
}

/* Where it is from, and that it is not taken by itself when an older one is in PATH. */
#define NEWER_QEMU "`waymark setup-qemu 10.2` makes one, --qemu 10.2 chooses it"

/* The state that is read has integer and FP registers only. */
static int check_shown(const struct steering *steering, struct wm_error *err)
{
	for (uint32_t i = 0; i < steering->n_values; i++)
		for (uint32_t k = 0; k < steering->values[i].items; k++)
			if (steering->values[i].item[k].number >= REGISTERS_FIRST_CSR)
				return wm_fail(err, WM_E_RANGE, 0,
					       "this QEMU does not show CSRs and vector "
					       "registers to plugins: --value of one "
					       "needs QEMU 9.2 or newer: " NEWER_QEMU);
	return 0;
}

int record_values_check_program(const struct steering *steering, const char *isa,
				struct wm_error *err)
{
	for (uint32_t i = 0; i < steering->n_values; i++)
		for (uint32_t k = 0; k < steering->values[i].items; k++) {
			unsigned number = steering->values[i].item[k].number;

			if (register_is_privileged(isa, number))
				return wm_fail(
					err, WM_E_RANGE, 0,
					"programs have no %s: --value of it is for "
					"whole machines (--system)",
					register_name(isa, number));
		}
	return 0;
}

/*
 * From QEMU 9.2 on all registers are shown by the plugin API. 7.2 shows those of RISC-V,
 * by its state; 8.x shows none. Accesses to memory need no registers.
 */
int record_values_check(const struct record_values *values,
			const struct steering *steering, const char *isa,
			const char *version, struct wm_error *err)
{
	const char *option = values->commits ? "--commits" : "--value";

	if (!values->commits && !values->n_places)
		return 0;
	if (values->commits && !register_list(isa))
		return wm_fail(
			err, WM_E_RANGE, 0,
			"--commits knows no registers of %s, only those of riscv64, "
			"riscv32, aarch64 and x86_64",
			isa);
	if (is_between(version) || (is_by_state(version) && !is_riscv(isa)))
		return wm_fail(err, WM_E_RANGE, 0,
			       "QEMU %s does not show the registers of %s to plugins: %s "
			       "needs QEMU 9.2 or newer: " NEWER_QEMU,
			       version, isa, option);
	return is_by_state(version) ? check_shown(steering, err) : 0;
}

/*
 * Whether a place can be in the middle of a block. The first instruction of a function
 * cannot, because calls go there.
 */
static bool is_within_block(const struct position *place)
{
	return place->kind != POSITION_SYMBOL || place->value;
}

/* A block of one instruction begins at every place, which is what the state needs. */
bool record_values_need_steps(const struct record_values *values, const char *version)
{
	bool within = values->commits;

	for (uint32_t i = 0; i < values->n_places; i++)
		within |= is_within_block(&values->places[i].place);
	return within && is_by_state(version);
}
