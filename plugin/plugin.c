// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TCG plugin: names each translation block by a dense id when QEMU translates it,
 * and stores that id into the vCPU's lane each time QEMU enters it.
 *
 * on_block() is what tracing costs; everything else happens once per block of code, per
 * thread, or per 16,384 blocks executed. No thread, no zstd, no ELF in the guest's
 * process. Arguments: arena=PATH (of the shared memory, from `waymark record`), or
 * out=FILE [waymark=PATH] to have a collector started.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "format/arena.h"
#include "format/blocks.h"
#include "format/text.h"
#include "isa/riscv.h"
#include "plugin/abi.h"
#include "plugin/dialect.h"
#include "plugin/exec.h"
#include "plugin/guest.h"
#include "plugin/link.h"
#include "plugin/modules.h"
#include "plugin/qemu_api.h"
#include "plugin/shape.h"
#include "plugin/signals.h"
#include "plugin/spawn.h"
#include "plugin/steps.h"
#include "plugin/syscalls.h"

#define PLUGIN_EXPORT __attribute__((visibility("default")))

PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				      int argc, char **argv);

static qemu_plugin_id_t plugin_id;
static unsigned xlen; /* of a RISC-V guest: 32 or 64; 0 for the others */
static enum riscv_dialect dialect;
static bool sees_signals, precise;
static struct interner blocks, words; /* under link_lock() */

/*
 * The hot path: thirteen instructions, and two cache lines of data. head is only written
 * here and by link_segment_end(), so a plain load and a release store will do: whoever
 * sees the new head sees the id.
 */
static void on_block(unsigned vcpu, void *id)
{
	struct lane_head *lane = &place_heads[vcpu];
	uint32_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);

	*(uint32_t *)((char *)lane->ids + head) = (uint32_t)(uintptr_t)id;
	head += sizeof(uint32_t);
	atomic_store_explicit(&lane->head, head, memory_order_release);
	if (__builtin_expect(head % (LANE_SEGMENT * sizeof(uint32_t)) == 0, 0))
		link_segment_end(vcpu);
}

static void send_block(uint32_t id, const struct shape *shape)
{
	struct message_block block = { shape->address, id, (uint16_t)shape->insns,
				       (uint16_t)shape->bytes, shape->place.again };

	link_send(MESSAGE_BLOCK,
		  (struct part[]){ { &block, sizeof(block) },
				   { shape->sizes, shape->insns + shape->bytes } },
		  2);
}

/* QEMU's RISC-V disassembler puts the instruction's word before its text: the text. */
static const char *after_word(const char *disas, const uint8_t *code, uint8_t size)
{
	char word[2 * INSN_BYTES_MAX + 2], *to = word;

	for (unsigned i = size; i-- > 0;)
		to += sprintf(to, "%02x", code[i]);
	*to++ = ' ';
	if (strncmp(disas, word, (size_t)(to - word)))
		return disas;
	disas += to - word;
	return disas + strspn(disas, " ");
}

/*
 * Sends the text of an instruction. On RISC-V the same word has the same text wherever
 * it stands, but for the address QEMU appends; elsewhere the text is kept by address.
 */
static void send_text(const struct qemu_plugin_insn *insn, uint64_t address,
		      const uint8_t *code, uint8_t size)
{
	char *disas = qemu_plugin_insn_disas(insn);
	uint8_t flagged = size | (xlen ? 0 : TEXT_AT_ADDRESS), length[VARINT32_MAX];
	char text[256];
	struct part parts[] = {
		{ &flagged, 1 }, { &address, xlen ? 0 : sizeof(address) },
		{ code, size },	 { length, 0 },
		{ text, 0 },
	};

	snprintf(text, sizeof(text), "%s", disas ? after_word(disas, code, size) : "");
	free(disas);
	if (xlen)
		text_make_relative(text, sizeof(text), address);
	parts[4].bytes = strlen(text);
	parts[3].bytes = (size_t)(put_varint(length, parts[4].bytes) - length);
	link_send(MESSAGE_TEXT, parts, 5);
}

/* Whether a reader makes the same text as QEMU from the instruction alone. */
static bool has_own_text(const uint8_t *code, uint8_t size)
{
	uint32_t word = 0;

	if (!xlen || size > sizeof(word))
		return false;
	for (unsigned i = size; i-- > 0;)
		word = word << 8 | code[i];
	return riscv_knows(word, xlen, dialect);
}

/*
 * Sends the texts that only QEMU knows, once for each word (or place). Asking QEMU costs
 * 4 us each; that is hardly ever needed.
 */
static void send_texts(const struct qemu_plugin_tb *tb, const struct shape *shape)
{
	const uint8_t *code = shape->code;

	if (shape_is_plain(shape))
		return;
	for (uint32_t i = 0; i < shape->insns; code += shape->sizes[i++]) {
		const struct qemu_plugin_insn *insn;
		uint64_t address;
		bool fresh;

		if (!shape->sizes[i] || has_own_text(code, shape->sizes[i]))
			continue;
		insn = qemu_plugin_tb_get_insn(tb, shape->first + i);
		address = qemu_plugin_insn_vaddr(insn);
		intern(&words, xlen ? 0 : address, code, shape->sizes[i], &fresh);
		if (fresh)
			send_text(insn, address, code, shape->sizes[i]);
	}
}

/* The id of instructions that stand side by side; tells of them when they are new. */
static uint32_t name_block(const struct qemu_plugin_tb *tb, struct shape *shape)
{
	bool fresh;
	uint32_t id = shape_intern(shape, &blocks, &fresh);

	if (fresh) {
		send_texts(tb, shape);
		send_block(id, shape);
	}
	return id;
}

/* Without memory for a new id the block is given one that the collector refuses. */
static void instrument_block(struct qemu_plugin_tb *tb, uint32_t insns,
			     struct shape *shape)
{
	shape_take(shape, tb, 0, insns);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)name_block(tb, shape));
}

static void instrument_insns(struct qemu_plugin_tb *tb, uint32_t insns,
			     struct shape *shape)
{
	for (uint32_t i = 0; i < insns; i++) {
		shape_take(shape, tb, i, 1);
		qemu_plugin_register_vcpu_insn_exec_cb(
			qemu_plugin_tb_get_insn(tb, i), on_block, QEMU_PLUGIN_CB_NO_REGS,
			(void *)(uintptr_t)name_block(tb, shape));
	}
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	static struct shape shape; /* locked; too large for a guest thread's stack */
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	uint32_t insns = shape_insns(tb);

	(void)id;
	link_lock();
	link_begin(); /* not before: QEMU loads plugins even if it cannot load the guest */
	guest_learn(address, host);
	shape.place = modules_find(address, host);
	if (sees_signals && signals_handled_at(address))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, signals_on_handler,
						     QEMU_PLUGIN_CB_R_REGS,
						     (void *)(uintptr_t)address);
	if (insns == 1 && !precise && steps_is_one(&blocks, address))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, steps_on_entry,
						     QEMU_PLUGIN_CB_NO_REGS,
						     (void *)(uintptr_t)address);
	if (precise)
		instrument_insns(tb, insns, &shape);
	else
		instrument_block(tb, insns, &shape);
	link_unlock();
}

static void on_vcpu_init(qemu_plugin_id_t id, unsigned vcpu)
{
	/* QEMU 7.2 calls this on the parent's thread: only the first one's id is known. */
	struct message_thread thread = { .vcpu = vcpu,
					 .tid = vcpu ? 0 : (uint32_t)getpid() };

	(void)id;
	link_attach(vcpu);
	if (vcpu >= LANES_MAX)
		return;
	thread.position = link_position(vcpu);
	link_lock();
	link_send(MESSAGE_THREAD, &(struct part){ &thread, sizeof(thread) }, 1);
	link_unlock();
}

static void on_vcpu_exit(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	syscalls_thread_ends(vcpu);
}

static void on_exit_in_order(qemu_plugin_id_t id, void *started)
{
	(void)id;
	link_exit();
	if (started)
		link_finish(); /* nobody else waits for the collector we started */
}

static void *started; /* not NULL: we started the collector */

static void register_callbacks(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_exit);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_in_order, started);
	syscalls_register(id);
}

/* A handler was installed at a place that is a block's start already: look again. */
static void on_new_handler(uint64_t address)
{
	bool translated;

	link_lock();
	translated = sees_signals && intern_has(&blocks, address);
	link_unlock();
	if (translated)
		qemu_plugin_reset(plugin_id, register_callbacks);
}

static uint32_t count_blocks(void)
{
	return blocks.count;
}

/* The value of argument `key`, or NULL. */
static const char *argument(int argc, char **argv, const char *key)
{
	size_t n = strlen(key);

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], key, n) && argv[i][n] == '=')
			return argv[i] + n + 1;
	return NULL;
}

static void describe(const qemu_info_t *info)
{
	struct arena_header *header = &place_arena()->header;
	const struct abi *abi = abi_find(info->target_name);

	shape_guest(info->target_name);
	if (!strncmp(info->target_name, "riscv", 5))
		xlen = info->target_name[5] == '3' ? 32 : 64;
	dialect = dialect_here(place_board()->qemu_version);
	precise = place_board()->precise;
	sees_signals = signals_init(abi);
	header->sizes_rule = xlen ? SIZES_RISCV : SIZES_LISTED;
	header->blind = !sees_signals;
	snprintf(header->isa, sizeof(header->isa), "%s", info->target_name);
	exec_init(abi, header->program, sizeof(header->program));
	syscalls_init(info->target_name, abi, on_new_handler, count_blocks);
}

static int open_arena(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fprintf(stderr,
			"waymark: cannot open the recorder's memory: %s; the program "
			"runs untraced\n",
			strerror(errno));
	return fd;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *arena = argument(argc, argv, "arena");
	const char *out = argument(argc, argv, "out");
	int fd;

	if (info->system_emulation) {
		fprintf(stderr, "waymark: full-system emulation is not supported yet\n");
		return -1;
	}
	if (!arena == !out) {
		fprintf(stderr,
			"waymark: the plugin needs out=FILE: "
			"-plugin libwaymark-v%d.so,out=run.wmk\n",
			QEMU_PLUGIN_API);
		return -1;
	}
	fd = arena ? open_arena(arena) :
		     spawn_collector(out, argument(argc, argv, "waymark"));
	/* A recorder that went away ends no program: without callbacks it runs as ever. */
	if (fd < 0 || !link_open(fd))
		return arena ? 0 : -1;
	plugin_id = id;
	started = (void *)out;
	describe(info);
	register_callbacks(id);
	return 0;
}
