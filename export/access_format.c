// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The accesses of an instruction in its line:
 *
 *	text	... ld a5, 8(sp)  [load 8 0x40007ff8 = 0x0000000000000001]
 *	csv	a last column, with blanks between accesses: load:8:0x40007ff8:0x...
 *	jsonl	"accesses":[{"kind":"load","size":8,"address":"0x40007ff8","value":"0x..."}]
 *
 * Values of registers are among them: [written a5 = 0x...], written:8:a5:0x..., and
 * {"kind":"written","size":8,"register":"a5","value":"0x..."}.
 */
#include "export/access_format.h"

#include <inttypes.h>
#include <stdio.h>

#include "isa/registers.h"
#include "trace/access_text.h"

#define ACCESS_REGISTER_TEXT 32

/* The register's name, on an ISA as QEMU names it; "r77" where there is none. */
static const char *access_register(char text[ACCESS_REGISTER_TEXT],
				   const struct wm_access *access, const char *isa)
{
	const char *name = isa ? register_name(isa, (unsigned)access->address) : NULL;

	if (name)
		snprintf(text, ACCESS_REGISTER_TEXT, "%s", name);
	else
		snprintf(text, ACCESS_REGISTER_TEXT, "r%" PRIu64, access->address);
	return text;
}

/* The address, or what a register is called. */
static const char *where(char text[ACCESS_REGISTER_TEXT], const struct wm_access *access,
			 const char *isa)
{
	if (access_is_register(access))
		return access_register(text, access, isa);
	snprintf(text, ACCESS_REGISTER_TEXT, "0x%" PRIx64, access->address);
	return text;
}

/* A register's size says nothing that its value does not. */
static int put_text(char *text, size_t size, const struct wm_access *access,
		    const char *isa)
{
	char value[ACCESS_VALUE_TEXT], place[ACCESS_REGISTER_TEXT], bytes[16] = "";

	if (!access_is_register(access))
		snprintf(bytes, sizeof(bytes), " %u", access->size);
	return snprintf(text, size, "%s%s %s%s%s", access_kind(access), bytes,
			where(place, access, isa), access->has_data ? " = " : "",
			access_value(value, access));
}

static int put_csv(char *text, size_t size, const struct wm_access *access,
		   const char *isa)
{
	char value[ACCESS_VALUE_TEXT], place[ACCESS_REGISTER_TEXT];

	return snprintf(text, size, "%s:%u:%s:%s", access_kind(access), access->size,
			where(place, access, isa), access_value(value, access));
}

/* "place" is the line of the trace's value_places that asked for it, from 1. */
static int put_jsonl(char *text, size_t size, const struct wm_access *access,
		     const char *isa)
{
	const char *key = access_is_register(access) ? "register" : "address";
	const char *quote = access->has_data ? "\"" : "";
	char value[ACCESS_VALUE_TEXT], at[ACCESS_REGISTER_TEXT], place[24] = "";

	if (access->place)
		snprintf(place, sizeof(place), ",\"place\":%u", access->place);
	return snprintf(text, size,
			"{\"kind\":\"%s\",\"size\":%u,\"%s\":\"%s\",\"value\":%s%s%s%s}",
			access_kind(access), access->size, key, where(at, access, isa),
			quote, access->has_data ? access_value(value, access) : "null",
			quote, place);
}

const struct line_accesses accesses_text = {
	.begin = "  [",
	.between = ", ",
	.end = "]",
	.put = put_text,
};

const struct line_accesses accesses_csv = {
	.columns = ",accesses",
	.begin = ",",
	.between = " ",
	.end = "",
	.always = true,
	.put = put_csv,
};

const struct line_accesses accesses_jsonl = {
	.begin = ",\"accesses\":[",
	.between = ",",
	.end = "]",
	.always = true,
	.put = put_jsonl,
};
