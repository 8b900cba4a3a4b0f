// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Types stand one after the other and refer to each other by number, so a table of where
 * each begins comes first. A type has a head of three words, name, info and size, and
 * then what its kind adds: a struct has three words for each member, which are name,
 * type, and offset in bits.
 *
 * Nothing is trusted: btf_open() refuses a file in which a type does not lie within the
 * section, or whose strings do not end in it. A member without a name is a struct or
 * union whose members count as the outer one's; depth and number of members are bounded,
 * so a file in which two such records contain each other ends the search.
 *
 * Example: struct dentry { ...; struct qstr d_name; ... } with a member at bit 256 gives
 * 32 for ("dentry", "d_name").
 */
#include "program/elf/btf.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 8,
	MEMBERS_MAX = 1 << 16, /* looked at in a search */
	HEADER_BYTES = 24,
	TYPE_BYTES = 12,
	MEMBER_BYTES = 12,
};

/* The kinds that add something to the head of a type; all others are the head alone. */
enum kind {
	KIND_INT = 1,
	KIND_ARRAY = 3,
	KIND_STRUCT = 4,
	KIND_UNION = 5,
	KIND_ENUM = 6,
	KIND_FUNC_PROTO = 13,
	KIND_VAR = 14,
	KIND_DATASEC = 15,
	KIND_DECL_TAG = 17,
	KIND_ENUM64 = 19,
	KINDS = 20,
};

/* Little-endian, as on all kernels that are recorded. */
static uint32_t word(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

static enum kind kind_of(const uint8_t *type)
{
	return word(type + 4) >> 24 & 0x1f;
}

static uint32_t members_of(const uint8_t *type)
{
	return word(type + 4) & 0xffff;
}

/* Bytes of a type, its head included; 0: a kind that is not known. */
static uint32_t size_of(const uint8_t *type)
{
	static const uint8_t fixed[KINDS] = {
		[KIND_INT] = 4, [KIND_ARRAY] = 12, [KIND_VAR] = 4, [KIND_DECL_TAG] = 4
	};
	static const uint8_t each[KINDS] = { [KIND_STRUCT] = MEMBER_BYTES,
					     [KIND_UNION] = MEMBER_BYTES,
					     [KIND_ENUM] = 8,
					     [KIND_FUNC_PROTO] = 8,
					     [KIND_DATASEC] = 12,
					     [KIND_ENUM64] = 12 };
	enum kind kind = kind_of(type);

	if (!kind || kind >= KINDS)
		return 0;
	return TYPE_BYTES + fixed[kind] + each[kind] * members_of(type);
}

/* Counts the types and, with a table, notes where each begins. */
static bool walk(const struct btf *btf, uint32_t *at, uint32_t *n)
{
	uint32_t off = 0;

	for (*n = 1; off < btf->types_bytes; (*n)++) {
		uint32_t left = btf->types_bytes - off, size;

		size = left < TYPE_BYTES ? 0 : size_of(btf->types + off);
		if (!size || size > left)
			return false;
		if (at)
			at[*n] = off;
		off += size;
	}
	return true;
}

/*
 * 0x0001eb9f is the magic number 0xeb9f, version 1 and no flags. Sums are of 64 bits, so
 * fields of 32 bits cannot make them wrap. The last byte of the strings must be NUL: each
 * name then ends in the section, wherever it begins. The first walk counts, the second
 * fills in the table.
 */
bool btf_open(struct btf *btf, const void *data, size_t bytes)
{
	const uint8_t *head = data;
	uint64_t header, types, types_bytes, strings, strings_bytes;

	*btf = (struct btf){ .n = 0 };
	if (bytes < HEADER_BYTES || word(head) != 0x0001eb9f)
		return false;
	header = word(head + 4);
	types = header + word(head + 8);
	types_bytes = word(head + 12);
	strings = header + word(head + 16);
	strings_bytes = word(head + 20);
	if (types + types_bytes > bytes || !strings_bytes ||
	    strings + strings_bytes > bytes || head[strings + strings_bytes - 1])
		return false;
	btf->types = head + types;
	btf->types_bytes = (uint32_t)types_bytes;
	btf->strings = (const char *)head + strings;
	btf->strings_bytes = (uint32_t)strings_bytes;
	if (!walk(btf, NULL, &btf->n))
		return false;
	btf->at = calloc(btf->n, sizeof(*btf->at));
	return btf->at && walk(btf, btf->at, &btf->n);
}

void btf_close(struct btf *btf)
{
	free(btf->at);
}

static bool is_named(const struct btf *btf, const uint8_t *at, const char *name)
{
	uint32_t off = word(at);

	return off < btf->strings_bytes && !strcmp(btf->strings + off, name);
}

static bool is_record(const struct btf *btf, uint32_t type)
{
	return type && type < btf->n &&
	       (kind_of(btf->types + btf->at[type]) == KIND_STRUCT ||
		kind_of(btf->types + btf->at[type]) == KIND_UNION);
}

struct search {
	const struct btf *btf;
	const char *member;
	unsigned left; /* members that may still be looked at */
};

/*
 * Searches a struct or union; *bits is the member's offset in it. When bit 31 of info is
 * set, the top byte of a member's offset is the width of a bit field, else it belongs to
 * the offset.
 */
static bool find(struct search *search, uint32_t type, unsigned depth, uint32_t *bits)
{
	const struct btf *btf = search->btf;
	const uint8_t *record = btf->types + btf->at[type];
	bool has_fields = word(record + 4) >> 31; /* an offset's top byte is a width */

	for (uint32_t i = 0; i < members_of(record) && search->left; i++) {
		const uint8_t *at = record + TYPE_BYTES + i * MEMBER_BYTES;
		uint32_t off = word(at + 8), width = has_fields ? off >> 24 : 0, inner;

		search->left--;
		off = has_fields ? off & 0xffffff : off;
		if (!width && is_named(btf, at, search->member)) {
			*bits = off;
			return true;
		}
		if (is_named(btf, at, "") && is_record(btf, word(at + 4)) &&
		    depth < DEPTH_MAX && find(search, word(at + 4), depth + 1, &inner)) {
			*bits = off + inner;
			return true;
		}
	}
	return false;
}

/*
 * The first definition that has members counts: a forward declaration has the same name.
 */
bool btf_member(const struct btf *btf, const char *record, const char *member,
		uint32_t *off)
{
	struct search search = { btf, member, MEMBERS_MAX };

	for (uint32_t i = 1; i < btf->n; i++) {
		const uint8_t *type = btf->types + btf->at[i];
		uint32_t bits;

		if (kind_of(type) != KIND_STRUCT || !members_of(type) ||
		    !is_named(btf, type, record))
			continue;
		if (!find(&search, i, 0, &bits) || bits % 8)
			return false;
		*off = bits / 8;
		return true;
	}
	return false;
}
