// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values that differ, each with its instruction: what A did there, and what B did.
 *
 *	value that differs 1
 *	         3058         3058  0x101bc        cstart+0x3a    sw a4,12(sp)
 *	  A  stores 4 bytes at 0x40008007ac: 0x9668f9b6
 *	  B  stores 4 bytes at 0x3ffffffb4c: 0x9668f9b7
 *
 * A wrong value is soon copied everywhere, so the first one matters and the rest only
 * follows from it.
 */
#include "cli/diff/values_text.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/diff/insn_line.h"
#include "isa/registers.h"
#include "out/number.h"
#include "trace/access_text.h"

/* Room for what one side did: a register's name, or an address, and 16 bytes of data. */
enum { DONE_TEXT = 128 };

static const char *name_of(const struct compare *compare, uint64_t number, char text[32])
{
	const char *isa = wm_trace_meta(compare->a.source.trace, "guest-isa");
	const char *name = isa && number < REGISTERS_MAX ?
				   register_name(isa, (unsigned)number) :
				   NULL;

	if (name)
		return name;
	snprintf(text, 32, "register %" PRIu64, number);
	return text;
}

/* "0x0000000000000001", with two digits for each byte. */
static const char *data_text(const struct wm_access *access, char text[40])
{
	unsigned bytes = access->size ? access->size : 8;
	uint64_t low = access->data[0];

	/* The other side's load may be smaller than the register that is its data. */
	if (bytes < 8)
		low &= (1ull << 8 * bytes) - 1;
	if (bytes > 8)
		snprintf(text, 40, "0x%0*" PRIx64 "%016" PRIx64, (int)(bytes - 8) * 2,
			 access->data[1], low);
	else
		snprintf(text, 40, "0x%0*" PRIx64, (int)bytes * 2, low);
	return text;
}

static const char *done_text(const struct compare *compare,
			     const struct wm_access *access, char text[DONE_TEXT])
{
	static const char *const verbs[] = {
		[WM_ACCESS_LOAD] = "loads",   [WM_ACCESS_STORE] = "stores",
		[WM_ACCESS_REGISTER] = "has", [WM_ACCESS_WRITTEN] = "writes",
		[WM_ACCESS_MEMORY] = "has",   [WM_ACCESS_RETURNED] = "returns",
	};
	char data[40], name[32], bytes[24] = "";

	if (access->size == 1)
		snprintf(bytes, sizeof(bytes), " 1 byte");
	else if (access->size)
		snprintf(bytes, sizeof(bytes), " %u bytes", access->size);
	if (!access_is_register(access))
		snprintf(text, DONE_TEXT, "%s%s at 0x%" PRIx64 "%s%s",
			 verbs[access->kind], bytes, access->address,
			 access->has_data ? ": " : "",
			 access->has_data ? data_text(access, data) : "");
	else
		snprintf(text, DONE_TEXT, "%s %s: %s", verbs[access->kind],
			 name_of(compare, access->address, name),
			 data_text(access, data));
	return text;
}

static void print_side(char side, const struct compare *compare, bool has,
		       const struct wm_access *access, const struct wm_access *other)
{
	char text[DONE_TEXT];

	if (has)
		printf("  %c  %s\n", side, done_text(compare, access, text));
	else
		printf("  %c  does not%s\n", side,
		       access_is_register(other) ? " write it" : "");
}

/* The instruction of a difference; WM_END: the thread ends before it. */
static int find_insn(struct spots *spots, uint64_t ordinal, struct spot *spot,
		     struct wm_error *err)
{
	int ret = spots_seek(spots, ordinal, err);

	return ret ? ret : spots_next(spots, spot, err);
}

int values_print_first(const struct compare *compare,
		       const struct compared_values *values, struct spots *spots,
		       struct wm_error *err)
{
	char more[NUMBER_TEXT];
	struct spot spot;
	int ret = 0;

	for (size_t i = 0; !ret && i < values->n; i++) {
		const struct diff_value *value = &values->first[i];

		ret = find_insn(spots, value->a, &spot, err);
		if (ret)
			break;
		printf("%svalue that differs %zu\n", i ? "" : "\n", i + 1);
		insn_line_print(' ', &value->a, &value->b, &spot);
		print_side('A', compare, value->in_a, &value->of_a, &value->of_b);
		print_side('B', compare, value->in_b, &value->of_b, &value->of_a);
	}
	if (values->n && values->n < values->differ)
		printf("... and %s more (-n)\n",
		       number_grouped(more, values->differ - values->n));
	return ret == WM_END ? 0 : ret;
}

/* ---- sums ------------------------------------------------------------------------------- */

/* "loads, stores and registers" */
static void print_kinds(unsigned kinds)
{
	static const struct {
		unsigned kinds;
		const char *name;
	} names[] = {
		{ 1u << WM_ACCESS_LOAD, "loads" },
		{ 1u << WM_ACCESS_STORE, "stores" },
		{ 1u << WM_ACCESS_WRITTEN, "registers written" },
		{ 1u << WM_ACCESS_REGISTER | 1u << WM_ACCESS_RETURNED |
			  1u << WM_ACCESS_MEMORY,
		  "values at places" },
	};
	const char *before = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (kinds & names[i].kinds) {
			printf("%s%s", before, names[i].name);
			before = ", ";
		}
}

void values_print_total(const struct compared_values *values)
{
	char compared[NUMBER_TEXT], differ[NUMBER_TEXT];

	if (!values->kinds)
		return;
	number_grouped(compared, values->compared);
	printf("values: %s of %s differ (",
	       values->differ ? number_grouped(differ, values->differ) : "none",
	       compared);
	print_kinds(values->kinds);
	if (values->stack.bytes)
		printf("; A's stack is %s0x%" PRIx64 " from B's",
		       values->stack.a < values->stack.b ? "-" : "+",
		       values->stack.a < values->stack.b ?
			       values->stack.b - values->stack.a :
			       values->stack.a - values->stack.b);
	puts(")");
}

/* ---- JSON ------------------------------------------------------------------------------- */

static void put_hex(struct json *json, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, number);
	json_string(json, key, text);
}

static void put_side(struct json *json, const char *key, const struct compare *compare,
		     bool has, const struct wm_access *access)
{
	char text[40], name[32];

	if (!has) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_string(json, "kind", access_kind(access));
	if (!access_is_register(access))
		put_hex(json, "address", access->address);
	else
		json_string(json, "register", name_of(compare, access->address, name));
	json_uint(json, "size", access->size);
	json_string(json, "value", access->has_data ? data_text(access, text) : NULL);
	json_close(json);
}

static int put_value(struct json *json, const struct compare *compare,
		     const struct diff_value *value, struct spots *spots,
		     struct wm_error *err)
{
	struct spot spot = { .address = 0 };
	int ret = find_insn(spots, value->a, &spot, err);

	json_object(json, NULL);
	json_uint(json, "a", value->a);
	json_uint(json, "b", value->b);
	put_hex(json, "address", spot.address);
	json_string(json, "symbol", spot.place.symbol);
	json_uint(json, "offset", spot.place.offset);
	put_side(json, "a_did", compare, value->in_a, &value->of_a);
	put_side(json, "b_did", compare, value->in_b, &value->of_b);
	json_close(json);
	return ret == WM_END ? 0 : ret;
}

int values_put_json(struct json *json, const struct compare *compare,
		    const struct compared_values *values, struct spots *spots,
		    struct wm_error *err)
{
	int ret = 0;

	if (!values->kinds) {
		json_null(json, "values");
		return 0;
	}
	json_object(json, "values");
	json_uint(json, "compared", values->compared);
	json_uint(json, "differ", values->differ);
	if (values->stack.bytes)
		json_int(json, "stack_distance",
			 (int64_t)(values->stack.a - values->stack.b));
	else
		json_null(json, "stack_distance");
	json_array(json, "first");
	for (size_t i = 0; !ret && i < values->n; i++)
		ret = put_value(json, compare, &values->first[i], spots, err);
	json_close(json);
	json_close(json);
	return ret;
}
