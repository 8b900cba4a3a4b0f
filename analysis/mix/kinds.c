// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Divides instructions into kinds.
 *
 * A *way* is what an instruction counts as: a list of uses of kinds. Instructions with
 * the same bytes have the same way, so they are interned by their bytes and each is
 * analysed once, however many places have it. 32-bit ARM is an exception: the meaning of
 * the bytes depends on the instruction set (ARM or Thumb) and on earlier instructions.
 * There each place has its own way.
 *
 * Example by register: way 1 is `add a0, a1, a2` with the uses {a0 written, a1, a2};
 * begins[1] is 0, begins[2] is 3, and pool[0..3) has the three.
 *
 * Invariant: pool[begins[way] .. begins[way + 1]) are the uses of a way; ways are made
 * one after the other.
 */
#include "analysis/mix/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/intern.h"
#include "isa/riscv.h"
#include "isa/riscv_registers.h"
#include "isa/x86.h"
#include "trace/insn_flow.h"
#include "trace/trace.h"

/* Long enough for a class with its precision, and for 32 bytes in hexadecimal: 67. */
enum { NAME = 80 };

/* Instructions whose way is known at once, by a hash of their bytes: at most 4. */
enum { RECENT_BITS = 15 };

struct recent {
	uint32_t word, bytes, way; /* 0 bytes: free */
};

struct kinds {
	const struct wm_trace *trace;
	enum kinds_by by;
	bool by_place;
	struct interner ways; /* by an instruction's bytes */
	struct recent recent[1 << RECENT_BITS];
	struct interner names; /* of kinds, each with its NUL */
	uint32_t *begins;      /* [room + 1] by way: where its kinds begin in `pool` */
	uint32_t room;
	uint32_t *pool; /* [n_pool] */
	uint32_t n_pool, pool_room;
};

/* An instruction that is being analysed. */
struct place {
	const struct wm_block *block;
	uint32_t id, index, off;
};

int kinds_new(struct kinds **out, const struct wm_trace *trace, enum kinds_by by,
	      struct wm_error *err)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	struct kinds *kinds;
	int ret = trace_load(trace, err);

	*out = NULL;
	if (ret)
		return ret;
	/* `xlen` is 0 for all guests but RISC-V, whose tables are the only ones here. */
	if (!trace->xlen && by != KINDS_MNEMONIC && by != KINDS_SIZE)
		return wm_fail(err, WM_E_RANGE, 0,
			       "instructions of %s are known by their mnemonics and "
			       "sizes only: --by mnemonic or --by size counts them",
			       isa ? isa : "an unknown guest");
	kinds = calloc(1, sizeof(*kinds));
	if (!kinds)
		return wm_fail_nomem(err, "kinds of instructions");
	kinds->trace = trace;
	kinds->by = by;
	kinds->by_place = isa && !strcmp(isa, "arm");
	kinds->ways = kinds->names = INTERNER_INIT;
	*out = kinds;
	return 0;
}

void kinds_free(struct kinds *kinds)
{
	if (!kinds)
		return;
	interner_fini(&kinds->ways);
	interner_fini(&kinds->names);
	free(kinds->begins);
	free(kinds->pool);
	free(kinds);
}

enum kinds_by kinds_by(const struct kinds *kinds)
{
	return kinds->by;
}

bool kinds_compressed(const struct kinds *kinds)
{
	return kinds->trace->xlen != 0;
}

/* ---- adding a way and its kinds ------------------------------------------ */

static bool add_use(struct kinds *kinds, const char *name, uint32_t written)
{
	bool fresh;
	uint32_t kind = intern(&kinds->names, 0, (const uint8_t *)name,
			       (uint32_t)strlen(name) + 1, &fresh);

	if (kinds->n_pool == kinds->pool_room) {
		uint32_t room = kinds->pool_room * 2 + 256;
		uint32_t *grown = reallocarray(kinds->pool, room, sizeof(*grown));

		if (!grown)
			return false;
		kinds->pool = grown;
		kinds->pool_room = room;
	}
	/* The bit of KINDS_WRITTEN is above all numbers of kinds. */
	kinds->pool[kinds->n_pool++] = kind | written;
	return kind != 0;
}

static bool add_kind(struct kinds *kinds, const char *name)
{
	return add_use(kinds, name, 0);
}

/* Makes room for the way's begin and the next one's. */
static bool make_room(struct kinds *kinds, uint32_t way)
{
	uint32_t room = kinds->room * 2 + 256;
	uint32_t *grown;

	if (way < kinds->room)
		return true;
	grown = reallocarray(kinds->begins, (size_t)room + 1, sizeof(*grown));
	if (!grown)
		return false;
	kinds->begins = grown;
	kinds->room = room;
	return true;
}

/* ---- RISC-V -------------------------------------------------------------- */

/*
 * Zcmp reuses the encodings of c.fsdsp and others: only QEMU's text shows which one it
 * is.
 */
static const struct riscv_insn *find_insn(const struct kinds *kinds,
					  const struct place *place, uint32_t word)
{
	const struct riscv_insn *insn = riscv_decode(word, kinds->trace->xlen);
	/* The text is cut off after its first characters, which suffice. */
	char text[8];

	if ((word & 3) != 3 && insn && riscv_alone((uint16_t)word) &&
	    wm_trace_disas(kinds->trace, place->id, place->index, text, sizeof(text)) &&
	    !strncmp(text, "cm.", 3))
		return riscv_alone((uint16_t)word);
	return insn;
}

static const char *extension_of(const struct kinds *kinds, const struct riscv_insn *insn,
				uint32_t word)
{
	/*
	 * A compressed instruction is decoded as the one it expands to, but counts for
	 * its own extension.
	 */
	if ((word & 3) != 3 && insn != riscv_alone((uint16_t)word))
		return riscv_extension_name(
			riscv_compressed((uint16_t)word, kinds->trace->xlen));
	return riscv_extension_name(insn->extension);
}

static bool add_class(struct kinds *kinds, const struct riscv_insn *insn)
{
	const char *precision = riscv_precision(insn);
	char name[NAME];

	snprintf(name, sizeof(name), "%s%s%s", riscv_class_name(insn->class),
		 precision ? ", " : "", precision ? precision : "");
	return add_kind(kinds, name);
}

static bool add_registers(struct kinds *kinds, uint32_t word)
{
	struct riscv_registers registers;
	bool good = true;

	riscv_registers(word, kinds->trace->xlen, &registers);
	for (unsigned i = 0; i < RISCV_FILES * 32 && good; i++) {
		const char *name = riscv_register_name(i / 32, i % 32);

		if (registers.read[i / 32] >> i % 32 & 1)
			good = add_use(kinds, name, 0);
		if (good && registers.written[i / 32] >> i % 32 & 1)
			good = add_use(kinds, name, KINDS_WRITTEN);
	}
	return good;
}

static bool add_riscv(struct kinds *kinds, const struct place *place, uint32_t bytes)
{
	uint32_t word = insn_word(place->block->code + place->off, bytes);
	const struct riscv_insn *insn =
		bytes == 2 || bytes == 4 ? find_insn(kinds, place, word) : NULL;

	switch (kinds->by) {
	case KINDS_CLASS:
		return insn ? add_class(kinds, insn) : add_kind(kinds, "unknown");
	case KINDS_EXTENSION:
		return add_kind(kinds,
				insn ? extension_of(kinds, insn, word) : "unknown");
	/* An unknown instruction names no register: it has no use of any kind. */
	case KINDS_REGISTER:
		return !insn || add_registers(kinds, word);
	default:
		/*
		 * False without a mnemonic: look_into() then takes the bytes. It is false
		 * without memory, too, where add_bytes() fails again.
		 */
		return insn && add_kind(kinds, insn->name);
	}
}

/* ---- any guest ----------------------------------------------------------- */

/*
 * The bytes as a number in the order of a listing: a kind for an instruction that is not
 * known.
 */
static bool add_bytes(struct kinds *kinds, const struct place *place, uint32_t bytes)
{
	char name[NAME] = "0x";

	if (!bytes) /* QEMU runs it by itself, as it does for a page of the kernel */
		return add_kind(kinds, "no code");
	for (uint32_t i = bytes < 32 ? bytes : 32; i-- > 0;)
		snprintf(name + strlen(name), 3, "%02x",
			 place->block->code[place->off + i]);
	return add_kind(kinds, name);
}

static bool add_text(struct kinds *kinds, const struct place *place, uint32_t bytes)
{
	char text[NAME], *mnemonic = text;

	if (wm_trace_disas(kinds->trace, place->id, place->index, text, sizeof(text)) <=
	    0)
		return add_bytes(kinds, place, bytes);
	/* "lock cmpxchg" is one kind. */
	mnemonic += x86_mnemonic(text) - text;
	mnemonic[strcspn(mnemonic, " \t")] = 0;
	return add_kind(kinds, text);
}

static bool look_into(struct kinds *kinds, const struct place *place, uint32_t bytes)
{
	char name[NAME];

	/* The size needs no table of instructions, so it works for every guest. */
	if (kinds->by == KINDS_SIZE) {
		snprintf(name, sizeof(name), "%u", bytes);
		return add_kind(kinds, name);
	}
	if (!kinds->trace->xlen)
		return add_text(kinds, place, bytes);
	if (kinds->by != KINDS_MNEMONIC)
		return add_riscv(kinds, place, bytes);
	return add_riscv(kinds, place, bytes) || add_bytes(kinds, place, bytes);
}

/* ---- finding ------------------------------------------------------------- */

static uint32_t find_new(struct kinds *kinds, const struct place *place, uint32_t bytes)
{
	/* The index plus 1 keeps the key of a place from being 0. */
	uint64_t key = kinds->by_place ? (uint64_t)place->id << 32 | (place->index + 1) :
					 0;
	bool fresh;
	uint32_t way =
		intern(&kinds->ways, key, place->block->code + place->off, bytes, &fresh);

	/* 0: no memory. */
	if (!way || !fresh)
		return way;
	if (!make_room(kinds, way))
		return 0;
	kinds->begins[way] = kinds->n_pool;
	if (!look_into(kinds, place, bytes))
		return 0;
	kinds->begins[way + 1] = kinds->n_pool;
	return way;
}

/* The same few thousand instructions make up most code. */
static uint32_t find(struct kinds *kinds, const struct place *place)
{
	uint32_t bytes = place->block->sizes[place->index], word;
	struct recent *recent;

	if (kinds->by_place || (bytes != 2 && bytes != 4))
		return find_new(kinds, place, bytes);
	word = insn_word(place->block->code + place->off, bytes);
	recent = &kinds->recent[word * 0x9e3779b1u >> (32 - RECENT_BITS)];
	if (recent->word != word || recent->bytes != bytes)
		*recent = (struct recent){ word, bytes, find_new(kinds, place, bytes) };
	return recent->way;
}

bool kinds_find_block(struct kinds *kinds, uint32_t id, uint32_t *ways)
{
	const struct wm_block *block = &kinds->trace->table.blocks[id];
	struct place place = { .block = block, .id = id };

	for (; place.index < block->insns; place.index++) {
		ways[place.index] = find(kinds, &place);
		if (!ways[place.index])
			return false;
		place.off += block->sizes[place.index];
	}
	return true;
}

struct kinds_of kinds_of(const struct kinds *kinds, uint32_t way)
{
	uint32_t begin = kinds->begins[way], n = kinds->begins[way + 1] - begin;

	return (struct kinds_of){ n ? kinds->pool + begin : NULL, n };
}

uint32_t kinds_count(const struct kinds *kinds)
{
	return kinds->names.count;
}

const char *kinds_name(const struct kinds *kinds, uint32_t kind)
{
	uint64_t address;
	uint32_t bytes;

	return (const char *)intern_code(&kinds->names, kind, &address, &bytes);
}
