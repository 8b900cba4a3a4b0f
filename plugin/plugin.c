// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The TCG plugin: names each translation block by a dense id when QEMU translates it,
 * and stores that id into the vCPU's lane each time QEMU enters it.
 *
 * on_block() is what tracing costs; everything else happens once per block of code, per
 * thread, or per 16,384 blocks executed. No thread, no zstd, no ELF in the guest's
 * process. Arguments: arena=FD (from `waymark record`), or out=FILE [waymark=PATH] to
 * have a collector started.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/intern.h"
#include "format/arena.h"
#include "format/blocks.h"
#include "format/text.h"
#include "isa/riscv.h"
#include "plugin/link.h"
#include "plugin/maps.h"
#include "plugin/qemu_api.h"
#include "plugin/spawn.h"

#define PLUGIN_EXPORT __attribute__((visibility("default")))

PLUGIN_EXPORT int qemu_plugin_version = 1;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info,
				      int argc, char **argv);

static unsigned xlen;		      /* of a RISC-V guest: 32 or 64; 0 for the others */
static struct interner blocks, insns; /* under link_lock() */

/*
 * The hot path: thirteen instructions, and two cache lines of data. head is only written
 * here and by link_segment_end(), so a plain load and a release store will do: whoever
 * sees the new head sees the id.
 */
static void on_block(unsigned vcpu, void *id)
{
	struct lane_head *lane = &link_heads[vcpu];
	uint32_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);

	*(uint32_t *)((char *)lane->ids + head) = (uint32_t)(uintptr_t)id;
	head += sizeof(uint32_t);
	atomic_store_explicit(&lane->head, head, memory_order_release);
	if (__builtin_expect(head % (LANE_SEGMENT * sizeof(uint32_t)) == 0, 0))
		link_segment_end(vcpu);
}

/* A block's instructions, side by side. */
struct shape {
	uint32_t insns, bytes;
	uint8_t sizes[BLOCK_INSNS_MAX];
	uint8_t code[BLOCK_BYTES_MAX];
};

static void take_shape(const struct qemu_plugin_tb *tb, struct shape *shape)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	shape->insns = shape->bytes = 0;
	for (size_t i = 0; i < n && i < BLOCK_INSNS_MAX; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);

		if (size > INSN_BYTES_MAX)
			size = INSN_BYTES_MAX;
		memcpy(shape->code + shape->bytes, qemu_plugin_insn_data(insn), size);
		shape->sizes[shape->insns++] = (uint8_t)size;
		shape->bytes += (uint32_t)size;
	}
}

static void send_block(uint32_t id, uint64_t address, const struct shape *shape)
{
	struct message_block block = { address, id, (uint16_t)shape->insns,
				       (uint16_t)shape->bytes };

	link_send(MESSAGE_BLOCK,
		  (struct part[]){ { &block, sizeof(block) },
				   { shape->sizes, shape->insns },
				   { shape->code, shape->bytes } },
		  3);
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
	return riscv_knows(word, xlen);
}

/*
 * Sends the texts that only QEMU knows, once for each word (or place). Asking QEMU costs
 * 4 us each; for RISC-V that is hardly ever needed.
 */
static void send_texts(const struct qemu_plugin_tb *tb, const struct shape *shape)
{
	const uint8_t *code = shape->code;

	for (uint32_t i = 0; i < shape->insns; code += shape->sizes[i++]) {
		const struct qemu_plugin_insn *insn;
		uint64_t address;
		bool fresh;

		if (has_own_text(code, shape->sizes[i]))
			continue;
		insn = qemu_plugin_tb_get_insn(tb, i);
		address = qemu_plugin_insn_vaddr(insn);
		intern(&insns, xlen ? 0 : address, code, shape->sizes[i], &fresh);
		if (fresh)
			send_text(insn, address, code, shape->sizes[i]);
	}
}

static void send_module(uint64_t address, const void *host)
{
	struct maps_module found;
	struct message_module module;

	if (!maps_find(address, host, &found))
		return;
	module = (struct message_module){ found.start, found.end, found.file_off };
	link_send(MESSAGE_MODULE,
		  (struct part[]){ { &module, sizeof(module) },
				   { found.path, strlen(found.path) } },
		  2);
}

static void on_translation(qemu_plugin_id_t plugin, struct qemu_plugin_tb *tb)
{
	static struct shape shape; /* locked; too large for a guest thread's stack */
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	uint32_t id;
	bool fresh;

	(void)plugin;
	link_lock();
	link_begin(); /* not before: QEMU loads plugins even if it cannot load the guest */
	take_shape(tb, &shape);
	id = intern(&blocks, address, shape.code, shape.bytes, &fresh);
	if (fresh) {
		send_module(address,
			    qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0)));
		send_texts(tb, &shape);
		send_block(id, address, &shape);
	}
	link_unlock();
	/* Without memory for a new id the block is given one that the collector refuses. */
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
					     (void *)(uintptr_t)id);
}

static void send_thread(enum message_type type, unsigned vcpu, uint32_t tid)
{
	struct message_thread thread = { .vcpu = vcpu, .tid = tid };

	if (vcpu >= LANES_MAX)
		return;
	thread.position = lane_written(&link_heads[vcpu]);
	link_lock();
	link_send(type, &(struct part){ &thread, sizeof(thread) }, 1);
	link_unlock();
}

static void on_vcpu_init(qemu_plugin_id_t plugin, unsigned vcpu)
{
	(void)plugin;
	link_attach(vcpu);
	/* QEMU 7.2 calls this on the parent's thread, so only the first one's id is known. */
	send_thread(MESSAGE_THREAD, vcpu, vcpu ? 0 : (uint32_t)getpid());
}

static void on_vcpu_exit(qemu_plugin_id_t plugin, unsigned vcpu)
{
	(void)plugin;
	send_thread(MESSAGE_THREAD_END, vcpu, (uint32_t)gettid());
}

static void on_exit_in_order(qemu_plugin_id_t plugin, void *started)
{
	(void)plugin;
	if (started)
		link_finish(); /* nobody else waits for the collector we started */
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
	struct arena_header *header = &link_arena()->header;

	if (!strncmp(info->target_name, "riscv", 5))
		xlen = info->target_name[5] == '3' ? 32 : 64;
	header->sizes_rule = xlen ? SIZES_RISCV : SIZES_LISTED;
	snprintf(header->isa, sizeof(header->isa), "%s", info->target_name);
	header->guest_pid = (uint32_t)getpid();
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	const char *arena = argument(argc, argv, "arena");
	const char *out = argument(argc, argv, "out");
	int fd = arena ? atoi(arena) : -1;

	if (info->system_emulation) {
		fprintf(stderr, "waymark: full-system emulation is not supported yet\n");
		return -1;
	}
	if (!arena == !out) {
		fprintf(stderr, "waymark: the plugin needs out=FILE: "
				"-plugin libwaymark-v1.so,out=run.wmk\n");
		return -1;
	}
	if (out)
		fd = spawn_collector(out, argument(argc, argv, "waymark"));
	if (fd < 0 || !link_open(fd))
		return -1;
	describe(info);
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_init);
	qemu_plugin_register_vcpu_exit_cb(id, on_vcpu_exit);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_in_order, out ? (void *)out : NULL);
	return 0;
}
