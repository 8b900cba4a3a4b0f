// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An access is either in its block's program, or a *firing* (format/values.h). For the
 * first kind a callback stores no more than words: readers know from the path that it
 * happened. A firing stores its words, then an id into the lane of ids, so that nobody
 * needs to know in advance whether and how often an instruction accesses memory.
 *
 * QEMU calls callbacks of blocks that a thread has left, because it leaves them on for
 * its own helpers in some cases. So each callback first compares its block with the one
 * that was entered last; where nothing is recorded that is 0, and no block's id.
 *
 * A firing's id is defined when it first happens, for (block, instruction, kind, size). A
 * site keeps the ids by QEMU's description of an access, which is one number and always
 * the same for an instruction's access; so the usual case compares that number and calls
 * nothing.
 *
 * QEMU enters one translation of a machine's code at several addresses, each of which is a block
 * with an id. What a callback is compared with is the translation's own id; programs of all of
 * them differ in constants only, and a firing is the block's at the address (`place`).
 *
 * A machine's instruction that accesses a device is taken out of its block and run alone, in a
 * block that has callbacks for accesses only (plugin/system/traps.c). Its access counts as the
 * left block's.
 *
 * Example: "amoadd.w a0, a1, (a2)" as instruction 3 of block 7 loads and stores. QEMU
 * calls on_firing() twice: the first stores a2 into the values and id 12 into the lane,
 * (7, 3, load, 4 bytes); the second a2 again and id 13, (7, 3, store, 4 bytes).
 *
 * Data: where threads run in parallel, QEMU (9.2 and newer) tells of such an instruction not
 * what it stored but its operand, a1. What it stored follows from that and from what it loaded.
 * A program's only thread may still run code that was made before the others ended, or
 * before there were any; nobody changes its memory, so that is read instead. Of a machine it is
 * as QEMU says.
 */
#include "plugin/core/values.h"

#include <stdlib.h>

#include "format/values.h"
#include "isa/atomics.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/by_id.h"
#include "plugin/core/firing.h"
#include "plugin/core/program.h"
#include "plugin/core/tb_code.h"

#define INFOS 2		    /* of a site, before it needs another */
#define UNWANTED UINT32_MAX /* instead of an id: a load where stores are wanted */

/*
 * An instruction that may fire. Never freed: old translated code may still hold a pointer
 * to one. A block that is translated again reuses its sites.
 */
struct site {
	uint32_t block;
	uint16_t insn, insns; /* of those of the block */
	enum atomic atomic;
	/* QEMU's description of an access, and the id above it, which is never 0. */
	_Atomic uint64_t ids[INFOS];
	struct site *_Atomic more; /* of the same instruction */
};

static uint32_t wanted; /* enum values_wanted */
static const struct emulation *guest;
static struct by_id sites; /* [insns] of each block */
static _Atomic uint32_t threads;
static const unsigned *turn; /* see struct emulation */
static enum alone_isa isa;
/* What an atomic instruction loaded, until it stores. */
static __thread __attribute__((tls_model("initial-exec"))) uint64_t loaded;

void values_init(uint32_t values, const char *target, const struct emulation *emulation)
{
	wanted = values;
	guest = emulation;
	/* Of a machine's instructions none is known to be atomic. */
	isa = guest->is_machine ? ALONE_NONE : alone_isa(target);
	if (guest->is_machine)
		turn = guest->turn();
	program_init(target, values);
}

bool values_any(void)
{
	return wanted;
}

bool values_need_entry(const struct tb_code *tb_code)
{
	return wanted && !(values_are_rare(wanted) && !tb_code->program->bytes.len);
}

void values_thread_begins(void)
{
	atomic_fetch_add(&threads, 1);
}

void values_thread_ends(void)
{
	atomic_fetch_sub(&threads, 1);
}

void values_begin_child(void)
{
	atomic_store(&threads, 1);
}

/* ---- what runs ----------------------------------------------------------- */

static bool is_alone(void)
{
	return atomic_load_explicit(&threads, memory_order_relaxed) == 1;
}

static void keep_loaded(qemu_plugin_meminfo_t info)
{
	uint64_t data[2] = { 0 };

	mem_data(info, data);
	loaded = data[0];
}

/*
 * Corrects what QEMU says that an atomic instruction of a program stored. One that is not aligned
 * runs alone, so memory has what it stored.
 */
static void correct_stored(enum atomic atomic, uint64_t address, unsigned size,
			   uint64_t data[2])
{
	bool alone = is_alone();
	size_t bytes = (size_t)1 << size;

	if (!alone && atomic != ATOMIC_OTHER && bytes <= sizeof(loaded) &&
	    address % bytes == 0)
		data[0] = atomic_result(atomic, loaded, data[0], (unsigned)bytes);
	else
		guest->copy_data(address, data, bytes, alone);
}

/* The data of an access of 1 << size bytes: one word, or two. */
CAN_ASK_FOR_LINES static void store_data(unsigned vcpu, qemu_plugin_meminfo_t info,
					 uint64_t address, unsigned size,
					 enum atomic atomic)
{
	uint64_t data[2] = { 0 };

	if (!mem_data(info, data))
		guest->copy_data(address, data, (size_t)1 << size, is_alone());
	else if (atomic && qemu_plugin_mem_is_store(info))
		correct_stored(atomic, address, size, data);
	for (unsigned i = 0; i < value_data_words(size); i++)
		value_store(vcpu, data[i]);
}

/*
 * The argument of accesses that a program has: the block's id and, for data, the size; and
 * whether the block has no access after it.
 *
 *	 63        36    35     34    32 31              0
 *	+------------+--------+--------+-----------------+
 *	|   unused   |  last  |  size  |       id        |
 *	+------------+--------+--------+-----------------+
 */
#define COOKIE_SIZE_SHIFT 32
#define COOKIE_LAST (UINT64_C(1) << 35)

static inline bool is_inside(unsigned vcpu, const void *cookie)
{
	return __builtin_expect(value_head(vcpu)->block == (uint32_t)(uintptr_t)cookie,
				1);
}

static inline unsigned size_of(const void *cookie)
{
	return (uintptr_t)cookie >> COOKIE_SIZE_SHIFT & 7;
}

CAN_ASK_FOR_LINES static void on_address(unsigned vcpu, qemu_plugin_meminfo_t info,
					 uint64_t address, void *cookie)
{
	(void)info;
	if (is_inside(vcpu, cookie))
		value_store(vcpu, address);
}

/*
 * Of loads at sites alone. QEMU 7.2 may call this again in a later block, when a helper there
 * accesses memory; blocks without sites do not enter, so this one is left behind its last site.
 */
CAN_ASK_FOR_LINES static void on_fetch(unsigned vcpu, qemu_plugin_meminfo_t info,
				       uint64_t address, void *cookie)
{
	(void)info;
	if (!is_inside(vcpu, cookie))
		return;
	/* First, so that the call is a leaf. */
	if ((uintptr_t)cookie & COOKIE_LAST)
		value_head(vcpu)->block = 0;
	value_store(vcpu, address);
}

static void on_data(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		    void *cookie)
{
	if (is_inside(vcpu, cookie))
		store_data(vcpu, info, address, size_of(cookie), ATOMIC_NONE);
}

CAN_ASK_FOR_LINES static void on_both(unsigned vcpu, qemu_plugin_meminfo_t info,
				      uint64_t address, void *cookie)
{
	if (!is_inside(vcpu, cookie))
		return;
	value_store(vcpu, address);
	store_data(vcpu, info, address, size_of(cookie), ATOMIC_NONE);
}

/* ---- firings ------------------------------------------------------------- */

static uint64_t pack(qemu_plugin_meminfo_t info, uint32_t id)
{
	return (uint64_t)id << 32 | info;
}

/* The entry of that access; NULL: none yet. Then *room is one for it, or NULL. */
static _Atomic uint64_t *find(struct site *site, qemu_plugin_meminfo_t info,
			      _Atomic uint64_t **room)
{
	for (; site; site = atomic_load_explicit(&site->more, memory_order_acquire))
		for (unsigned i = 0; i < INFOS; i++) {
			uint64_t is =
				atomic_load_explicit(&site->ids[i], memory_order_relaxed);

			if (!is) {
				*room = &site->ids[i];
				return NULL;
			}
			if ((qemu_plugin_meminfo_t)is == info)
				return &site->ids[i];
		}
	*room = NULL;
	return NULL;
}

static bool is_wanted(qemu_plugin_meminfo_t info)
{
	return wanted & (qemu_plugin_mem_is_store(info) ? VALUES_STORES : VALUES_LOADS);
}

static bool is_alike(qemu_plugin_meminfo_t one, qemu_plugin_meminfo_t other)
{
	return qemu_plugin_mem_is_store(one) == qemu_plugin_mem_is_store(other) &&
	       qemu_plugin_mem_size_shift(one) == qemu_plugin_mem_size_shift(other);
}

/* An id for an access that differs only in what is not recorded; 0: there is none. */
static uint32_t find_alike(const struct site *site, qemu_plugin_meminfo_t info)
{
	for (; site; site = atomic_load(&site->more))
		for (unsigned i = 0; i < INFOS; i++) {
			uint64_t is = atomic_load(&site->ids[i]);

			if (is && is_alike((qemu_plugin_meminfo_t)is, info))
				return (uint32_t)(is >> 32);
		}
	return 0;
}

static uint32_t define(const struct site *site, qemu_plugin_meminfo_t info)
{
	uint32_t id = is_wanted(info) ? find_alike(site, info) : UNWANTED;

	if (id)
		return id;
	return block_ids_add_firing((struct message_firing){
		.block = site->block,
		.insn = site->insn,
		.kind = qemu_plugin_mem_is_store(info) ? VALUE_STORE : VALUE_LOAD,
		.size = (uint8_t)qemu_plugin_mem_size_shift(info),
	});
}

/* Room for more kinds of accesses; NULL without memory. */
static _Atomic uint64_t *extend(struct site *site)
{
	struct site *more = calloc(1, sizeof(*more));

	if (!more)
		return NULL;
	while (atomic_load(&site->more))
		site = atomic_load(&site->more);
	atomic_store(&site->more, more);
	return &more->ids[0];
}

/* An id for what the site has not had yet. */
static uint32_t id_of_new(struct site *site, qemu_plugin_meminfo_t info)
{
	_Atomic uint64_t *room, *entry;
	uint32_t id;

	link_lock();
	/* Another thread may have been faster. */
	entry = find(site, info, &room);
	if (entry) {
		id = (uint32_t)(atomic_load(entry) >> 32);
	} else {
		id = define(site, info);
		if (!room)
			room = extend(site);
		/* Without memory it is defined again and again; readers take either. */
		if (room && id)
			atomic_store(room, pack(info, id));
	}
	link_unlock();
	return id;
}

/* Also for a site with accesses of several kinds. */
static __attribute__((noinline)) uint32_t find_id(struct site *site,
						  qemu_plugin_meminfo_t info)
{
	_Atomic uint64_t *room, *entry = find(site, info, &room);

	return entry ? (uint32_t)(atomic_load(entry) >> 32) : id_of_new(site, info);
}

/* The first kind that the site had is the usual one. */
static inline uint32_t id_of(struct site *site, qemu_plugin_meminfo_t info)
{
	uint64_t first = atomic_load_explicit(&site->ids[0], memory_order_relaxed);

	if (__builtin_expect((qemu_plugin_meminfo_t)first == info && first >> 32, 1))
		return (uint32_t)(first >> 32);
	return find_id(site, info);
}

CAN_ASK_FOR_LINES static void fire(unsigned vcpu, qemu_plugin_meminfo_t info,
				   uint64_t address, struct site *site)
{
	uint32_t id = id_of(site, info);

	if (site->atomic && !qemu_plugin_mem_is_store(info))
		keep_loaded(info);
	if (id == UNWANTED)
		return;
	firing_begin(vcpu);
	value_store(vcpu, address);
	if (wanted & VALUES_DATA)
		store_data(vcpu, info, address, qemu_plugin_mem_size_shift(info),
			   site->atomic);
	firing_end(vcpu, id);
}

static void on_firing(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *cookie)
{
	struct site *site = cookie;

	if (value_head(vcpu)->block == site->block)
		fire(vcpu, info, address, site);
}

/* ---- registering --------------------------------------------------------- */

/* The sites of a block, one for each instruction; NULL without memory. */
static struct site *sites_of(uint32_t block, uint32_t insns)
{
	struct site *all = by_id_made(&sites, block, insns * sizeof(*all));

	/* Code that runs may read those of a block that is translated again. */
	for (uint32_t i = 0; all && !all[insns - 1].block && i < insns; i++) {
		all[i].insn = (uint16_t)i;
		all[i].insns = (uint16_t)insns;
		all[i].block = block;
	}
	return all;
}

/* ---- of machines ---------------------------------------------------------- */

static unsigned running(unsigned vcpu)
{
	return turn ? *turn : vcpu;
}

static void on_machine_address(unsigned vcpu, qemu_plugin_meminfo_t info,
			       uint64_t address, void *cookie)
{
	on_address(running(vcpu), info, address, cookie);
}

static void on_machine_data(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *cookie)
{
	on_data(running(vcpu), info, address, cookie);
}

static void on_machine_both(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			    void *cookie)
{
	on_both(running(vcpu), info, address, cookie);
}

/* A firing is one of the block at the address where that was entered. NULL: no memory. */
static struct site *site_at(uint32_t place, uint32_t insn, uint32_t insns)
{
	struct site *all;

	link_lock();
	all = sites_of(place, insns);
	link_unlock();
	return all ? &all[insn] : NULL;
}

static void on_machine_firing(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
			      void *cookie)
{
	unsigned hart = running(vcpu);
	const struct value_head *head = value_head(hart);
	struct site *site = cookie;

	if (head->block != site->block)
		return;
	if (head->place != site->block)
		site = site_at(head->place, site->insn, site->insns);
	if (site)
		fire(hart, info, address, site);
}

/* How the block that was entered last has the access of the instruction that runs alone. */
struct alone {
	enum program_access access;
	uint32_t insn, insns;
};

static struct alone find_alone(uint32_t place, uint32_t id)
{
	struct alone alone = { .access = ACCESS_NONE };

	link_lock();
	if (block_ids_index(place, id, &alone.insn)) {
		alone.access = block_ids_program(place)->access[alone.insn];
		alone.insns = block_ids_insns(place);
	}
	link_unlock();
	return alone;
}

/*
 * Of a block of one instruction. If it has not been entered, a block was left at that
 * instruction because it accesses a device, and the access is that block's.
 */
static void on_alone(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		     void *cookie)
{
	unsigned hart = running(vcpu);
	const struct value_head *head = value_head(hart);
	struct alone alone;
	struct site *site;

	if (is_inside(hart, cookie) || !head->block)
		return;
	alone = find_alone(head->place, (uint32_t)(uintptr_t)cookie);
	if (alone.access == ACCESS_FIRING) {
		site = site_at(head->place, alone.insn, alone.insns);
		if (site)
			fire(hart, info, address, site);
		return;
	}
	if (alone.access == ACCESS_IN_LANE)
		value_store(hart, address);
	if (alone.access != ACCESS_NONE && wanted & VALUES_DATA)
		store_data(hart, info, address, qemu_plugin_mem_size_shift(info),
			   ATOMIC_NONE);
}

/* What is called at an access that the program has; NULL: nothing. */
static qemu_plugin_vcpu_mem_cb_t callback_of(enum program_access access)
{
	if (!(wanted & VALUES_DATA) && access != ACCESS_IN_LANE)
		return NULL;
	if (values_are_rare(wanted))
		return on_fetch;
	if (!(wanted & VALUES_DATA))
		return guest->is_machine ? on_machine_address : on_address;
	if (guest->is_machine)
		return access == ACCESS_IN_LANE ? on_machine_both : on_machine_data;
	return access == ACCESS_IN_LANE ? on_both : on_data;
}

static void register_at(const struct qemu_plugin_tb *tb, uint32_t insn,
			qemu_plugin_vcpu_mem_cb_t call, void *cookie)
{
	qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, insn), call,
					 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
					 cookie);
}

static bool is_last(const struct tb_code *tb_code, uint32_t i)
{
	while (++i < tb_code->insns)
		if (tb_code->program->access[i] != ACCESS_NONE)
			return false;
	return true;
}

static void register_known(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
			   uint32_t i, uint32_t id)
{
	const struct program *program = tb_code->program;
	qemu_plugin_vcpu_mem_cb_t call = callback_of(program->access[i]);
	uint64_t cookie = id | (uint64_t)program->size[i] << COOKIE_SIZE_SHIFT |
			  (is_last(tb_code, i) ? COOKIE_LAST : 0);

	if (call)
		register_at(tb, tb_code->first + i, call, (void *)(uintptr_t)cookie);
}

bool values_register(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
		     uint32_t id)
{
	const uint8_t *code = tb_code->code;
	struct site *all = NULL;

	for (uint32_t i = 0; i < tb_code->insns; code += tb_code->sizes[i++]) {
		uint8_t access = tb_code->program->access[i];

		if (access == ACCESS_FIRING) {
			if (!all)
				all = sites_of(id, tb_code->insns);
			if (!all)
				return false;
			all[i].atomic = atomic_of(isa, code, tb_code->sizes[i]);
			register_at(tb, tb_code->first + i,
				    guest->is_machine ? on_machine_firing : on_firing,
				    &all[i]);
		} else if (access != ACCESS_NONE) {
			register_known(tb, tb_code, i, id);
		}
	}
	if (guest->is_machine && qemu_plugin_tb_n_insns(tb) == 1)
		register_at(tb, 0, on_alone, (void *)(uintptr_t)id);
	return true;
}
