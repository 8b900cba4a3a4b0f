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
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "import/path.h"

/* CODE_MOST bounds the memory for a segment, whose size comes from a file. */
enum { PIECE = 1 << 20, CODE_MOST = 1 << 30 };
/* When packets are tried: their bytes at most, and the instructions that are enough. */
enum { PACKET_MOST = 1024, TRIED_INSNS = 1000 };

/* ---- whether it is such a record --------------------------------------------------------- */

static int try_hart(void *cookie, uint32_t hart, uint32_t context, struct wm_error *err)
{
	(void)cookie, (void)hart, (void)context, (void)err;
	return 0;
}

/* Any error ends the decoder. */
static int try_insn(void *cookie, uint64_t address, const struct packet_insn *insn,
		    struct wm_error *err)
{
	unsigned *insns = cookie;

	(void)address, (void)insn, (void)err;
	return ++*insns < TRIED_INSNS ? 0 : WM_E_RANGE;
}

static int try_trap(void *cookie, const struct packet_trap *trap, struct wm_error *err)
{
	(void)cookie, (void)trap, (void)err;
	return 0;
}

static int try_gap(void *cookie, struct wm_error *err)
{
	(void)cookie, (void)err;
	return 0;
}

static void try_clock(void *cookie, uint64_t ns)
{
	(void)cookie, (void)ns;
}

/* Decodes the first bytes, as far as TRIED_INSNS instructions. */
static int try(struct import_packets *packets, size_t bytes, unsigned *insns,
	       struct wm_error *err)
{
	const struct packet_sink sink = { try_hart, try_insn,  try_trap,
					  try_gap,  try_clock, insns };
	int ret;

	*insns = 0;
	ret = packets->read(packets->data, bytes, &packets->code, &packets->settings,
			    &sink, err);
	return *insns == TRIED_INSNS ? 0 : ret;
}

/* Whether what has been read can be such packets, of a run of this code. */
static int check_begin(struct import_packets *packets, struct wm_error *err)
{
	unsigned insns;
	int ret = try(packets, packets->bytes, &insns, err);

	/* The last packet has bytes that are not read yet. */
	if (ret == WM_E_FORMAT && err->offset &&
	    packets->bytes - err->offset < PACKET_MOST)
		ret = try(packets, err->offset, &insns, err);
	if (!ret && !insns)
		ret = wm_fail(
			err, WM_E_FORMAT, 0,
			"no packet of the first megabyte says where the program is: "
			"is it of this format?");
	return ret;
}

/* ---- what is read ------------------------------------------------------------------------ */

static bool may_have_no_end(int fd)
{
	struct stat st;

	return fstat(fd, &st) || !S_ISREG(st.st_mode);
}

/* Fills the room for them. 0: there is more; WM_END. */
static int read_piece(struct import_packets *packets, size_t room, int fd,
		      struct wm_error *err)
{
	uint8_t *more = realloc(packets->data, room);
	ssize_t got = 1;

	if (!more)
		return wm_fail_nomem(err, "packets");
	packets->data = more;
	while (got > 0 && packets->bytes < room) {
		got = read(fd, more + packets->bytes, room - packets->bytes);
		packets->bytes += got > 0 ? (size_t)got : 0;
	}
	if (got < 0)
		return wm_fail_errno(err, "cannot read packets");
	return got ? 0 : WM_END;
}

int import_packets_read(struct import_packets *packets, int fd, struct wm_error *err)
{
	int ret = 0;

	/* The input may be a pipe, whose size is not known. */
	for (size_t room = PIECE; !ret; room = 2 * room + PIECE) {
		ret = read_piece(packets, room, fd, err);
		if (!ret && room == PIECE && may_have_no_end(fd))
			ret = check_begin(packets, err);
	}
	return ret == WM_END ? 0 : ret;
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
	struct packet_sink sink = { take_hart,	take_insn, take_trap,	     take_gap,
				    take_clock, path,	   &packets->unended };
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
