// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a trace of what a decoder of packets finds. Instructions become blocks
 * (import/path.c). Traps become events of the kind that recordings of whole machines
 * have: interrupt or exception, its address, and the handler's.
 *
 * A block ends before each trap and gap, so the event comes between two blocks, as in a
 * recording.
 *
 * Example: 1000 ld faults, handler at 2000: block {1000: ld}, event "exception at 1000,
 * handler 2000", block {2000: ...}.
 */
#include "import/packets.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "import/path.h"

/* CODE_MOST bounds the memory for a segment, whose size comes from a file. */
enum { PIECE = 1 << 20, CODE_MOST = 1 << 30 };

/* ---- what is read ------------------------------------------------------------------------ */

int import_packets_read(int fd, uint8_t **data, size_t *bytes, struct wm_error *err)
{
	size_t room = 0, n = 0;
	uint8_t *all = NULL;
	ssize_t got;

	for (;;) {
		if (n == room) {
			/* The input may be a pipe, whose size is not known. */
			uint8_t *more = realloc(all, room = 2 * room + PIECE);

			if (!more) {
				free(all);
				return wm_fail_nomem(err, "packets");
			}
			all = more;
		}
		got = read(fd, all + n, room - n);
		/*
		 * The end of the input, or an error, which is reported below. The bytes
		 * are the caller's in both cases.
		 */
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	*data = all;
	*bytes = n;
	return got < 0 ? wm_fail_errno(err, "cannot read packets") : 0;
}

/* Adds a segment of a file as code. */
static int add_load(struct packet_code *code, const struct import_module *module,
		    const struct elf_load *load, struct wm_error *err)
{
	uint64_t bytes = load->end - load->start;
	ssize_t got;
	uint8_t *data;

	if (bytes > CODE_MOST)
		return wm_fail(err, WM_E_FORMAT, 0, "%s: has too much code",
			       module->path);
	data = malloc(bytes);
	if (!data)
		return wm_fail_nomem(err, "code");
	got = pread(module->fd, data, bytes, (off_t)load->file_off);
	if (got < 0) {
		free(data);
		return wm_fail_errno(err, "cannot read %s", module->path);
	}
	/*
	 * A file that is cut has less code than its headers say. `data` now belongs to
	 * `code`.
	 */
	return packet_code_segment(code, load->start + module->base, data, (size_t)got,
				   err);
}

int import_code_module(struct packet_code *code, const struct import_module *module,
		       struct wm_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < module->n; i++)
		ret = add_load(code, module, &module->loads[i], err);
	return ret;
}

/* Adds the instructions of a block: sizes are 2 or 4 bytes on RISC-V. */
static int add_block(struct packet_code *code, const struct wm_block *block,
		     struct wm_error *err)
{
	const uint8_t *at = block->code;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < block->insns; at += block->sizes[i++]) {
		/*
		 * Little-endian, whatever this machine is; the block may have 2 bytes
		 * left only.
		 */
		uint32_t word = at[0] | (uint32_t)at[1] << 8;

		if (block->sizes[i] == 4)
			word |= (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
		ret = packet_code_add(code, block->address + (uint64_t)(at - block->code),
				      word, err);
	}
	return ret;
}

int import_code_trace(struct packet_code *code, const struct wm_trace *trace,
		      struct wm_error *err)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	struct wm_summary summary;
	struct wm_block block;
	int ret = 0;

	/* Decoders follow RISC-V code only. */
	if (!isa || strncmp(isa, "riscv", 5) != 0)
		return wm_fail(err, WM_E_RANGE, 0, "is not a trace of RISC-V code");
	wm_trace_summary(trace, &summary);
	for (uint32_t id = 1; !ret && id <= summary.known_blocks; id++)
		if (!wm_trace_block(trace, id, &block))
			ret = add_block(code, &block, err);
	return ret;
}

/* ---- what is written --------------------------------------------------------------------- */

/* A hart is a stream, its context the thread's id; the last block of the one before ends first. */
static int take_hart(void *cookie, uint32_t hart, uint32_t context, struct wm_error *err)
{
	struct import_path *path = cookie;
	int ret = import_path_end(path, err);

	return ret ? ret : import_file_stream(path->file, hart, context, err);
}

/* Ends the block where control may leave: decoders have classified the instruction. */
static int take_insn(void *cookie, uint64_t address, const struct packet_insn *insn,
		     struct wm_error *err)
{
	return import_path_take(cookie, address, insn->word,
				insn->flow != FLOW_ON || insn->traps, err);
}

/* The code of a trap as WM_EVENT_TRAP has it: interrupts come after the exceptions. */
static uint64_t cause_of(const struct packet_trap *trap)
{
	if (!trap->has_cause || trap->cause >= WM_TRAP_CODES)
		return WM_TRAP_UNKNOWN;
	return trap->cause + (trap->interrupt ? WM_TRAP_CODES : 0);
}

/* The block before the trap ends first, so the event comes after it. */
static int take_trap(void *cookie, const struct packet_trap *trap, struct wm_error *err)
{
	uint64_t fields[] = {
		trap->interrupt ? WM_TRAP_INTERRUPT : WM_TRAP_EXCEPTION,
		trap->epc,
		trap->handler,
		cause_of(trap),
		trap->value,
		trap->before,
		trap->after,
	};
	struct import_path *path = cookie;
	int ret = import_path_end(path, err);

	return ret ? ret :
		     import_file_event(path->file, WM_EVENT_TRAP, fields,
				       sizeof(fields) / sizeof(*fields), err);
}

/* Code that was not traced ran here. */
static int take_gap(void *cookie, struct wm_error *err)
{
	struct import_path *path = cookie;
	int ret = import_path_end(path, err);

	return ret ? ret : import_file_gap(path->file, err);
}

static void take_clock(void *cookie, uint64_t ns)
{
	struct import_path *path = cookie;

	import_file_clock(path->file, ns);
}

int import_packets(struct import_file *file, struct import_packets *packets,
		   struct wm_error *err)
{
	struct import_path *path = malloc(sizeof(*path));
	struct packet_sink sink = { take_hart, take_insn,  take_trap,
				    take_gap,  take_clock, path };
	int ret;

	if (!path)
		return wm_fail_nomem(err, "packets");
	/* One path serves all harts: take_hart() ends its block. */
	import_path_init(path, file, packets->code.xlen);
	ret = packets->read(packets->data, packets->bytes, &packets->code,
			    &packets->settings, &sink, err);
	if (!ret)
		ret = import_path_end(path, err);
	free(path);
	return ret;
}

void import_packets_fini(struct import_packets *packets)
{
	free(packets->data);
	packet_code_fini(&packets->code);
}
