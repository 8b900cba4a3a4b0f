// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * At a named instruction a callback reads what is wanted there, and fires: a firing for each
 * item, whose id is made when the code is translated. What a function returns is known when
 * it is back, so its call is noted at its entry (returns.c), and every block's start is
 * compared with the calls that are noted: where a call returns to, a block begins.
 *
 * In a machine one translation runs at several addresses, so what is wanted there is looked up
 * when it runs; plugin/system/parts.c has cut its blocks at each place that may be one. A hart
 * runs many threads, so whose calls are noted is asked each time.
 *
 * Orders are in memory that guests can write to, so they are copied and checked first.
 *
 * Example: "malloc:a0,ret" is place 1. At malloc's first instruction, a0 is fired, as
 * (block, instruction, VALUE_REGISTER, 10 of place 1), and the call is noted with ra and sp.
 * When a block begins at that ra with that sp, its id is in the lane; then a0 is fired once
 * more, as (that block, 0, VALUE_RETURNED, 10 of place 1).
 */
#include "plugin/core/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/values.h"
#include "isa/registers.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/by_id.h"
#include "plugin/core/filters.h"
#include "plugin/core/firing.h"
#include "plugin/core/registers.h"
#include "plugin/core/returns.h"
#include "plugin/core/state.h"
#include "plugin/core/tb_code.h"

/* A value that is wanted at an instruction. */
struct place {
	struct place *next; /* of the same block */
	uint64_t address;
	uint32_t block, value; /* index of values[] */
	uint16_t insn;
	uint32_t ids[ORDER_ITEMS_MAX]; /* of firings */
};

/* The start of a block that functions may return to. */
struct arrival {
	uint64_t address;
	uint32_t block;
	_Atomic uint32_t ids[ORDER_VALUES_MAX]; /* of firings; 0: none yet */
};

static struct order_value values[ORDER_VALUES_MAX];
static uint32_t count;
static bool any_returns;
static char isa[32];
static const struct emulation *guest;
static uint64_t address_mask;
static unsigned stack_register;
static int link_register; /* has the return address; -1: it is on the stack */
static struct by_id places, arrivals;

/* The calls of the thread, where it has one of QEMU's to itself. */
static __thread __attribute__((tls_model("initial-exec"))) struct returns *own_calls;

/* ---- what is wanted ------------------------------------------------------ */

static bool is_sound(const struct order_item *item)
{
	return (value_is_register(item->kind) || item->kind == VALUE_MEMORY) &&
	       item->number < REGISTERS_MAX && item->size <= VALUE_SIZE_MAX;
}

/* Copies a value, up to an item that makes no sense. */
static void take(struct order_value *value, const struct order_value *from)
{
	struct order_value copy = *from;

	for (uint32_t i = 0; i < copy.items && i < ORDER_ITEMS_MAX; i++) {
		if (!is_sound(&copy.item[i]))
			return;
		value->item[value->items++] = copy.item[i];
		any_returns |= copy.item[i].kind == VALUE_RETURNED;
	}
}

bool places_any(void)
{
	return count;
}

bool places_await_returns(void)
{
	return any_returns;
}

void places_init(const struct orders *orders, const char *target,
		 const struct emulation *emulation)
{
	snprintf(isa, sizeof(isa), "%s", target);
	guest = emulation;
	address_mask = strcmp(target, "riscv32") ? UINT64_MAX : UINT32_MAX;
	link_register = register_number(isa, strcmp(isa, "aarch64") ? "ra" : "lr");
	stack_register = (unsigned)register_number(isa, link_register < 0 ? "rsp" : "sp");
	count = orders->values < ORDER_VALUES_MAX ? orders->values : ORDER_VALUES_MAX;
	for (uint32_t i = 0; i < count; i++)
		take(&values[i], &orders->value[i]);
}

/* ---- firing -------------------------------------------------------------- */

static uint32_t define(uint32_t block, uint32_t insn, uint32_t value,
		       const struct order_item *item)
{
	bool is_memory = item->kind == VALUE_MEMORY;

	return block_ids_add_firing((struct message_firing){
		.block = block,
		.insn = (uint16_t)insn,
		.kind = item->kind,
		.size = is_memory ? item->size :
				    (uint8_t)(register_words(isa, item->number) - 1),
		.what = (value + 1) << VALUE_PLACE_SHIFT | (is_memory ? 0 : item->number),
	});
}

static void fire(unsigned vcpu, uint32_t id, const uint64_t *words, unsigned n)
{
	firing_begin(vcpu);
	for (unsigned i = 0; i < n; i++)
		value_store(vcpu, words[i]);
	firing_end(vcpu, id);
}

static void fire_register(unsigned vcpu, uint32_t id, unsigned number, const void *state)
{
	uint64_t words[2];
	unsigned n = registers_read(state, number, words);

	if (n)
		fire(vcpu, id, words, n);
}

/* Memory that cannot be read has no value. */
static void fire_memory(unsigned vcpu, uint32_t id, const struct order_item *item,
			const void *state)
{
	uint64_t words[3] = { 0 }, base[2];

	if (!registers_read(state, item->number, base))
		return;
	words[0] = (base[0] + (uint64_t)item->offset) & address_mask;
	if (guest->read_data(words[0], words + 1, (size_t)1 << item->size))
		fire(vcpu, id, words, 1 + value_data_words(item->size));
}

/* ---- calls --------------------------------------------------------------- */

/* NULL: it is not known which thread runs. */
static struct returns **calls_of(unsigned vcpu)
{
	return guest->is_machine ? guest->calls(vcpu) : &own_calls;
}

static uint64_t read_one(const void *state, unsigned number)
{
	uint64_t words[2] = { 0 };

	registers_read(state, number, words);
	return words[0];
}

/* The call that has just entered a function, by its end. */
static struct call call_of(const void *state, uint32_t value)
{
	struct call call = { .value = value, .sp = read_one(state, stack_register) };

	if (link_register >= 0) {
		call.address = read_one(state, (unsigned)link_register);
		return call;
	}
	if (!guest->read_data(call.sp, &call.address, sizeof(call.address)))
		call.address = 0;
	/* Returning takes the address off the stack. */
	call.sp += sizeof(call.address);
	return call;
}

/* What is known of a block that functions may return to; NULL: no memory. Under link_lock(). */
static struct arrival *arrival_of(uint32_t block, uint64_t address)
{
	struct arrival *arrival = by_id_made(&arrivals, block, sizeof(*arrival));

	if (arrival) {
		arrival->address = address;
		arrival->block = block;
	}
	return arrival;
}

/* The id of a firing that may not have happened here before. */
static uint32_t id_of(struct arrival *arrival, uint32_t value,
		      const struct order_item *item)
{
	uint32_t id = atomic_load_explicit(&arrival->ids[value], memory_order_relaxed);

	if (id)
		return id;
	link_lock();
	id = atomic_load(&arrival->ids[value]);
	if (!id) {
		id = define(arrival->block, 0, value, item);
		atomic_store(&arrival->ids[value], id);
	}
	link_unlock();
	return id;
}

/* A function whose returned value is wanted was entered. */
static void note_call(unsigned vcpu, uint32_t value, const void *state)
{
	struct returns **calls = calls_of(vcpu);

	if (calls)
		returns_push(calls, call_of(state, value));
}

static void fire_returned(unsigned vcpu, struct arrival *arrival, uint32_t value,
			  const void *state)
{
	const struct order_value *wanted = &values[value];
	uint32_t id;

	for (uint32_t i = 0; i < wanted->items; i++) {
		if (wanted->item[i].kind != VALUE_RETURNED)
			continue;
		id = id_of(arrival, value, &wanted->item[i]);
		if (id)
			fire_register(vcpu, id, wanted->item[i].number, state);
	}
}

/* ---- places of blocks ---------------------------------------------------- */

/* The block's place of that instruction and value, made if need be; NULL: no memory. */
static struct place *place_of(uint32_t block, uint32_t insn, uint32_t value)
{
	void **first = by_id(&places, block);
	struct place *place;

	if (!first)
		return NULL;
	for (place = *first; place; place = place->next)
		if (place->insn == insn && place->value == value)
			return place;
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->block = block;
	place->insn = (uint16_t)insn;
	place->value = value;
	for (uint32_t i = 0; i < values[value].items; i++)
		if (values[value].item[i].kind != VALUE_RETURNED)
			place->ids[i] =
				define(block, insn, value, &values[value].item[i]);
	place->next = *first;
	*first = place;
	return place;
}

/* ---- what runs ----------------------------------------------------------- */

static void fire_place(unsigned vcpu, const struct place *place, const void *state)
{
	const struct order_value *wanted = &values[place->value];

	registers_changed();
	for (uint32_t i = 0; i < wanted->items; i++) {
		const struct order_item *item = &wanted->item[i];

		if (item->kind == VALUE_RETURNED)
			note_call(vcpu, place->value, state);
		else if (item->kind == VALUE_MEMORY)
			fire_memory(vcpu, place->ids[i], item, state);
		else
			fire_register(vcpu, place->ids[i], item->number, state);
	}
}

/* The instruction of a struct place is about to run. */
__attribute__((used, visibility("hidden"))) void
places_with_state(unsigned vcpu, void *place, const void *state);
void places_on_insn(unsigned vcpu, void *place);
WITH_STATE(places_on_insn, places_with_state);

void places_with_state(unsigned vcpu, void *cookie, const void *state)
{
	const struct place *place = cookie;

	if (value_head(vcpu)->block == place->block)
		fire_place(vcpu, place, state);
}

void places_reach(unsigned hart, uint32_t block, uint64_t address, uint32_t file)
{
	const struct place *reached[ORDER_VALUES_MAX];
	const struct window_point *points;
	size_t n, found = 0;

	link_lock();
	points = filters_values(file, address, address + 1, &n);
	for (size_t i = 0; i < n && found < ORDER_VALUES_MAX; i++)
		if (points[i].window < count) {
			reached[found] = place_of(block, 0, points[i].window);
			found += reached[found] != NULL;
		}
	link_unlock();
	/* Without the lock: a firing may wait for the collector. */
	for (size_t i = 0; i < found; i++)
		fire_place(hart, reached[i], NULL);
}

/* The same, where QEMU shows no registers: within a block, before 9.0. */
static void on_unseen(unsigned vcpu, void *place)
{
	if (value_head(vcpu)->block == ((const struct place *)place)->block)
		atomic_fetch_add(&slot_arena()->header.unseen, 1);
}

/* The block of a struct arrival was entered, and its id stored. */
__attribute__((used, visibility("hidden"))) void
arrivals_with_state(unsigned vcpu, void *arrival, const void *state);
void arrivals_on_entry(unsigned vcpu, void *arrival);
WITH_STATE(arrivals_on_entry, arrivals_with_state);

void arrivals_with_state(unsigned vcpu, void *cookie, const void *state)
{
	struct arrival *arrival = cookie;
	uint32_t value;
	uint64_t sp;

	if (!returns_may(own_calls, arrival->address))
		return;
	sp = read_one(state, stack_register);
	/* Several, after tail calls. */
	while (returns_pop(own_calls, arrival->address, sp, &value))
		if (value_head(vcpu)->block == arrival->block)
			fire_returned(vcpu, arrival, value, state);
}

void places_arrive(unsigned hart, uint32_t block, uint64_t address)
{
	struct returns **calls = guest->calls(hart);
	struct arrival *arrival;
	uint32_t value;
	uint64_t sp;

	if (!calls || !returns_may(*calls, address))
		return;
	registers_changed();
	sp = read_one(NULL, stack_register);
	while (returns_pop(*calls, address, sp, &value)) {
		link_lock();
		arrival = block ? arrival_of(block, address) : NULL;
		link_unlock();
		if (arrival)
			fire_returned(hart, arrival, value, NULL);
	}
}

/* ---- registering --------------------------------------------------------- */

/* The instruction at `address`; one past the last: there is none. */
static uint32_t insn_at(const struct tb_code *tb_code, uint64_t address)
{
	uint64_t at = tb_code->address;
	uint32_t i = 0;

	while (i < tb_code->insns && at != address)
		at += tb_code->sizes[i++];
	return i;
}

static void register_place(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
			   uint32_t block, const struct window_point *point)
{
	uint32_t insn = insn_at(tb_code, point->address);
	struct place *place = NULL;
	bool is_seen = REGISTERS_ANYWHERE || !(tb_code->first + insn);

	/* An address within an instruction is no place. */
	if (insn < tb_code->insns && point->window < count)
		place = place_of(block, insn, point->window);
	if (place)
		qemu_plugin_register_vcpu_insn_exec_cb(
			qemu_plugin_tb_get_insn(tb, tb_code->first + insn),
			is_seen ? places_on_insn : on_unseen, QEMU_PLUGIN_CB_R_REGS,
			place);
}

/* Where a call returns to, a translation begins. */
static void register_arrival(const struct qemu_plugin_tb *tb,
			     const struct tb_code *tb_code, uint32_t block)
{
	struct arrival *arrival = NULL;

	if (any_returns && !tb_code->first)
		arrival = arrival_of(block, tb_code->address);
	if (!arrival)
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, 0),
					       arrivals_on_entry, QEMU_PLUGIN_CB_R_REGS,
					       arrival);
}

void places_register(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
		     uint32_t id, bool may_run)
{
	const struct window_point *points = NULL;
	size_t n = 0;

	if (!count)
		return;
	registers_learn();
	/* Before the places: a block may begin where one function returns to another. */
	register_arrival(tb, tb_code, id);
	if (may_run)
		points = filters_values(tb_code->origin.file, tb_code->address,
					tb_code->address + tb_code->bytes, &n);
	for (size_t i = 0; i < n; i++)
		register_place(tb, tb_code, id, &points[i]);
}
