// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads QEMU's log. For each block that it translates, QEMU prints
 *	----------------
 *	IN: main
 *	0x0000000000010584:  022000ef          jal                     ra,34
 *	<an empty line>
 * and then, each time it enters the block,
 *	Trace 0: 0x7fb928000100 [0000000000000000/0000000000010584/00207600/00000200] main
 *
 * Only the host pointer connects a Trace line with a text. One guest address can have
 * several blocks, and QEMU reuses a pointer after it has flushed the code buffer. So the
 * latest text of an address belongs to the next Trace line there, whose pointer then
 * stands for that text. `Stopped execution of TB chain before 0x...` takes back the last
 * Trace line of the CPU that stopped. All other lines are skipped.
 *
 * This relies on one invariant: the CPU that prints a text enters the block next, and
 * translations of one address never overlap. Example: after text A of 0x10584, "Trace 0:
 * 0x7f00 [.../10584/...]" means A. After text B of the same address, the next Trace line
 * there means B, even with pointer 0x7f00, because B is fresh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/hex.h"
#include "trace/loglines.h"
#include "trace/qemulog-data.h"
#include "trace/qemulog.h"

enum {
	TEXT_BYTES = 1 << 20,  /* the longest text of a block */
	JUNK_BYTES = 64 << 20, /* other messages before the first block, at most */
	DOUBTS_MAX = 1 << 20,  /* a log of QEMU has a few in 100,000 blocks */
	CF_NO_GOTO_TB = 0x200, /* QEMU sets it in cflags because of nochain */
};

/* The text that QEMU printed last for an address. */
struct latest {
	uint32_t id;
	bool fresh; /* no Trace line at the address since */
};

/* The text that a host pointer stands for. */
struct binding {
	uint64_t pc;
	uint32_t latest; /* index + 1 of the address in reader.latest */
	uint32_t id;
};

struct cpu {
	uint64_t pointer; /* of its last Trace line; 0: none, or taken back */
	uint64_t when;	  /* the number of that line */
	uint32_t id;	  /* of its block */
	uint32_t doubt;	  /* index + 1 in qemulog.doubts; 0: the line is not in doubt */
};

struct reader {
	struct qemulog *log;
	struct wm_error *err;
	struct u64map by_pc;	  /* -> index + 1 into latest */
	struct u64map by_pointer; /* -> index + 1 into bindings */
	struct latest *latest;
	struct binding *bindings;
	uint32_t latest_n, latest_room, bindings_n, bindings_room;
	struct cpu cpus[LOGSPOOL_CPUS];
	bool in_text;  /* between "IN:" and the line that ends it */
	bool no_lines; /* the last text was empty, and no Trace line followed yet */
	size_t text_bytes;
	const char *line; /* the current line, and its offset in the log */
	uint64_t line_off;
	char *text;
};

#define starts(line, end, prefix)                          \
	((size_t)((end) - (line)) >= sizeof(prefix) - 1 && \
	 !memcmp(line, prefix, sizeof(prefix) - 1))

static uint64_t offset_of(const struct reader *reader, const char *at)
{
	return reader->line_off + (uint64_t)(at - reader->line);
}

static int no_memory(struct reader *reader)
{
	return wm_fail_nomem(reader->err, "the blocks of a log");
}

/*
 * Returns the array with room for entry n, reallocated when it is full; NULL: no memory.
 */
static void *array_room(void *array, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t more = *room ? *room * 2 : 1024;
	void *bigger;

	if (n < *room)
		return array;
	/* `more <= *room`: the 32-bit size has overflowed. */
	if (more <= *room || !(bigger = realloc(array, more * size)))
		return NULL;
	*room = more;
	return bigger;
}

static int note_text(struct reader *reader, uint64_t pc, uint32_t id)
{
	uint32_t *place = u64map_at(&reader->by_pc, pc);
	struct latest *latest = array_room(reader->latest, reader->latest_n,
					   &reader->latest_room, sizeof(*latest));

	/*
	 * u64map_at() may have made a new cell; the array must be saved in any case,
	 * since the old one is gone.
	 */
	if (latest)
		reader->latest = latest;
	if (!place || !latest)
		return no_memory(reader);
	if (!*place)
		*place = ++reader->latest_n;
	reader->latest[*place - 1] = (struct latest){ .id = id, .fresh = true };
	return 0;
}

static int end_text(struct reader *reader, const char *line)
{
	struct logblocks *blocks = &reader->log->blocks;
	uint32_t id;
	int ret;

	/*
	 * The line after the last instruction ends a text; it is a line of its own as
	 * well.
	 */
	reader->in_text = false;
	reader->no_lines = reader->text_bytes == 0;
	if (reader->no_lines)
		return 0;
	ret = logblocks_intern(blocks, reader->text, reader->text_bytes, &id);
	if (ret == WM_E_NOMEM)
		return no_memory(reader);
	if (ret)
		return wm_fail(reader->err, WM_E_FORMAT, offset_of(reader, line),
			       "the in_asm text before this place in the log has an "
			       "instruction that cannot be read");
	return note_text(reader, logblocks_at(blocks, id)->address, id);
}

static void begin_text(struct reader *reader)
{
	reader->in_text = true;
	reader->text_bytes = 0;
}

static int text_line(struct reader *reader, const char *line, const char *end)
{
	/*
	 * The newline after `end` is part of the text: interned texts consist of whole
	 * lines.
	 */
	size_t bytes = (size_t)(end - line) + 1;

	if (bytes > TEXT_BYTES - reader->text_bytes)
		return wm_fail(reader->err, WM_E_FORMAT, offset_of(reader, line),
			       "a block of more than a megabyte of text: not QEMU's log");
	memcpy(reader->text + reader->text_bytes, line, bytes);
	reader->text_bytes += bytes;
	return 0;
}

static int no_text(struct reader *reader, const char *line, uint64_t pc)
{
	uint64_t off = offset_of(reader, line);

	/*
	 * Without any text the log lacks -d in_asm; otherwise only this block is missing.
	 */
	if (reader->log->blocks.n == 0)
		return wm_fail(reader->err, WM_E_FORMAT, off,
			       "the log has no in_asm text; make it with "
			       "-d in_asm,exec,nochain");
	return wm_fail(reader->err, WM_E_FORMAT, off,
		       "the log enters a block at 0x%llx but has no in_asm text of it: "
		       "was it cut at the front?",
		       (unsigned long long)pc);
}

/*
 * Gives `pc` the text that had no lines. QEMU read no code there, and its disassembler
 * printed nothing where at other times it prints this line.
 */
static int note_no_lines(struct reader *reader, const char *line, uint64_t pc)
{
	reader->text_bytes = (size_t)snprintf(reader->text, TEXT_BYTES,
					      "0x%llx: unable to read memory\n",
					      (unsigned long long)pc);
	return end_text(reader, line);
}

static bool is_fresh(const struct reader *reader, uint64_t pc)
{
	uint32_t at = u64map_get(&reader->by_pc, pc);

	return at && reader->latest[at - 1].fresh;
}

/* Binds the pointer to the latest text of `pc`. */
static int bind(struct reader *reader, const char *line, uint64_t pointer, uint64_t pc,
		struct binding **out)
{
	uint32_t at = u64map_get(&reader->by_pc, pc);
	uint32_t *place = at ? u64map_at(&reader->by_pointer, pointer) : NULL;
	struct binding *all = array_room(reader->bindings, reader->bindings_n,
					 &reader->bindings_room, sizeof(*all));

	if (all)
		reader->bindings = all;
	if (!at)
		return no_text(reader, line, pc);
	if (!place || !all)
		return no_memory(reader);
	if (!*place)
		*place = ++reader->bindings_n;
	reader->latest[at - 1].fresh = false;
	*out = &reader->bindings[*place - 1];
	**out = (struct binding){ pc, at, reader->latest[at - 1].id };
	return 0;
}

static int find_block(struct reader *reader, const char *line, uint64_t pointer,
		      uint64_t pc, uint32_t *id)
{
	uint32_t at = u64map_get(&reader->by_pointer, pointer);
	struct binding *binding = NULL;
	int ret;

	if (at)
		binding = &reader->bindings[at - 1];
	/*
	 * The binding is outdated when QEMU reused the pointer for another address, or
	 * printed a new text for this address.
	 */
	if (!binding || binding->pc != pc || reader->latest[binding->latest - 1].fresh) {
		ret = 0;
		if (reader->no_lines && reader->log->blocks.n && !is_fresh(reader, pc))
			ret = note_no_lines(reader, line, pc);
		if (!ret)
			ret = bind(reader, line, pointer, pc, &binding);
		if (ret)
			return ret;
	}
	*id = binding->id;
	return 0;
}

/* The fields of a Trace line after its CPU number. */
struct entry {
	uint64_t pointer, pc, cflags;
};

static const char *expect(const char *at, const char *end, const char *what)
{
	for (; at && *what; at++, what++)
		if (at == end || *at != *what)
			return NULL;
	return at;
}

static bool parse_entry(const char *at, const char *end, struct entry *entry)
{
	uint64_t ignored;

	/* expect() passes NULL on, and hex_number() never returns NULL. */
	at = expect(at, end, ": 0x");
	if (!at)
		return false;
	at = expect(hex_number(at, end, &entry->pointer), end, " [");
	if (!at)
		return false;
	at = expect(hex_span(at, end), end, "/");
	if (!at)
		return false;
	at = expect(hex_number(at, end, &entry->pc), end, "/");
	if (!at)
		return false;
	at = expect(hex_number(at, end, &ignored), end, "/");
	if (!at)
		return false;
	return expect(hex_number(at, end, &entry->cflags), end, "]");
}

static int not_understood(struct reader *reader, const char *line)
{
	return wm_fail(
		reader->err, WM_E_FORMAT, offset_of(reader, line),
		"a Trace line of the log, at this offset, is not as QEMU writes it");
}

static int trace_line(struct reader *reader, const char *line, const char *end)
{
	struct qemulog *log = reader->log;
	const char *at = line + strlen("Trace ");
	struct entry entry;
	unsigned cpu = 0;
	uint32_t id;
	int ret;

	/* The bound on `cpu` also keeps it from overflowing. */
	while (at < end && *at >= '0' && *at <= '9' && cpu < LOGSPOOL_CPUS)
		cpu = cpu * 10 + (unsigned)(*at++ - '0');
	if (cpu >= LOGSPOOL_CPUS || !parse_entry(at, end, &entry))
		return not_understood(reader, line);
	ret = find_block(reader, line, entry.pointer, entry.pc, &id);
	if (ret)
		return ret;
	/*
	 * `traces` numbers the lines, so that find_stopped() finds the latest of several
	 * CPUs.
	 */
	reader->cpus[cpu] = (struct cpu){ entry.pointer, ++log->traces, id, 0 };
	log->chained |= !(entry.cflags & CF_NO_GOTO_TB);
	if (cpu >= log->cpus)
		log->cpus = cpu + 1;
	return logspool_add(log->spool, cpu, id, reader->err);
}

/* The CPU's last Trace line may be the one that is taken back. */
static int doubt(struct reader *reader, const char *line, struct cpu *cpu)
{
	struct qemulog *log = reader->log;
	unsigned number = (unsigned)(cpu - reader->cpus);
	struct logdoubt *doubts = array_room(log->doubts, log->doubts_n,
					     &log->doubts_room, sizeof(*doubts));

	if (!doubts)
		return no_memory(reader);
	log->doubts = doubts;
	if (log->doubts_n == DOUBTS_MAX)
		return wm_fail(reader->err, WM_E_FORMAT, offset_of(reader, line),
			       "it is too often unclear which CPU of the log stopped");
	doubts[log->doubts_n++] =
		(struct logdoubt){ logspool_length(log->spool, number) - 1, cpu->id,
				   number, true };
	cpu->doubt = log->doubts_n;
	return 0;
}

/*
 * How many CPUs entered the block with this pointer last. *latest is the last one of those that
 * are not taken back yet; NULL: there is none.
 */
static unsigned find_stopped(struct reader *reader, uint64_t pointer, struct cpu **latest)
{
	const struct logdoubt *doubts = reader->log->doubts;
	unsigned n = 0;

	*latest = NULL;
	for (unsigned i = 0; i < reader->log->cpus; i++) {
		struct cpu *cpu = &reader->cpus[i];

		if (cpu->pointer != pointer)
			continue;
		n++;
		if (cpu->doubt && !doubts[cpu->doubt - 1].there)
			continue;
		if (!*latest || cpu->when > (*latest)->when)
			*latest = cpu;
	}
	return n;
}

static int take_back(struct reader *reader, const char *line, const struct cpu *cpu)
{
	if (cpu && logspool_take_back(reader->log->spool, (unsigned)(cpu - reader->cpus)))
		return 0;
	return wm_fail(reader->err, WM_E_FORMAT, offset_of(reader, line),
		       "the log stops before a block it did not enter");
}

/*
 * One of several CPUs stopped. The guess, for those who have the log alone, is the one that
 * entered the block last. A comparison with a trace does not need it.
 */
static int guess_stopped(struct reader *reader, const char *line, uint64_t pointer,
			 const struct cpu *guess)
{
	struct qemulog *log = reader->log;
	int ret = 0;

	for (unsigned i = 0; !ret && i < log->cpus; i++) {
		struct cpu *cpu = &reader->cpus[i];

		if (cpu->pointer == pointer && !cpu->doubt)
			ret = doubt(reader, line, cpu);
	}
	log->unsure++;
	/* Without a guess an earlier one was wrong: its CPU is the one that stopped now. */
	if (ret || !guess)
		return ret;
	log->doubts[guess->doubt - 1].there = false;
	return take_back(reader, line, guess);
}

static int stopped_line(struct reader *reader, const char *line, const char *end)
{
	const char *at = line + strlen("Stopped execution of TB chain before ");
	struct cpu *cpu;
	uint64_t pointer;
	unsigned n;

	at = expect(at, end, "0x");
	if (!at || hex_number(at, end, &pointer) == at || pointer == 0)
		return not_understood(reader, line);
	n = find_stopped(reader, pointer, &cpu);
	/* A CPU in doubt is one of several, also when the others have gone on. */
	if (n > 1 || (n && (!cpu || cpu->doubt)))
		return guess_stopped(reader, line, pointer, cpu);
	/* A second Stopped line must not take back the block before it. */
	if (n)
		cpu->pointer = 0;
	return take_back(reader, line, cpu);
}

static int one_line(void *cookie, const char *line, const char *end, uint64_t offset)
{
	struct reader *reader = cookie;
	int ret;

	reader->line = line;
	reader->line_off = offset;
	/* A file of another kind is refused early instead of being read to its end. */
	if (offset > JUNK_BYTES && !reader->log->blocks.n)
		return wm_fail(reader->err, WM_E_FORMAT, offset,
			       "there is no block in the first 64 MiB: not QEMU's log");

	if (reader->in_text) {
		if (starts(line, end, "0x"))
			return text_line(reader, line, end);
		/* "Priv: 0; Virt: 0" stands between IN: and the first instruction. */
		if (reader->text_bytes == 0 && starts(line, end, "Priv:"))
			return 0;
		ret = end_text(reader, line);
		if (ret)
			return ret;
	}
	if (starts(line, end, "Trace "))
		return trace_line(reader, line, end);
	if (starts(line, end, "IN:"))
		begin_text(reader);
	else if (starts(line, end, "Stopped execution of TB chain before "))
		return stopped_line(reader, line, end);
	return 0;
}

static int reader_new(struct reader **out, struct qemulog *log, struct wm_error *err)
{
	struct reader *reader = calloc(1, sizeof(*reader));

	*out = reader;
	if (!reader)
		return wm_fail_nomem(err, "reading a log");
	/* *out is set on failure, too: the caller frees it either way. */
	reader->log = log;
	reader->err = err;
	reader->text = malloc(TEXT_BYTES);
	if (!reader->text || u64map_init(&reader->by_pc) ||
	    u64map_init(&reader->by_pointer))
		return no_memory(reader);
	return 0;
}

static void reader_free(struct reader *reader)
{
	if (!reader)
		return;
	u64map_fini(&reader->by_pc);
	u64map_fini(&reader->by_pointer);
	free(reader->latest);
	free(reader->bindings);
	free(reader->text);
	free(reader);
}

static int qemulog_new(struct qemulog **out, struct wm_error *err)
{
	struct qemulog *log = calloc(1, sizeof(*log));

	*out = log;
	if (!log || logblocks_init(&log->blocks))
		return wm_fail_nomem(err, "reading a log");
	return logspool_new(&log->spool, err);
}

void qemulog_free(struct qemulog *log)
{
	if (!log)
		return;
	logblocks_fini(&log->blocks);
	logspool_free(log->spool);
	free(log->doubts);
	free(log);
}

bool qemulog_is_chained(const struct qemulog *log)
{
	return log->chained;
}

int qemulog_read(struct qemulog **out, int fd, struct wm_error *err)
{
	struct reader *reader = NULL;
	struct qemulog *log;
	int ret;

	ret = qemulog_new(&log, err);
	if (!ret)
		ret = reader_new(&reader, log, err);
	if (!ret)
		ret = loglines_read(&(struct loglines){ one_line, reader }, fd, err);
	if (!ret && log->traces == 0)
		ret = wm_fail(err, WM_E_FORMAT, 0,
			      "the log has no Trace line: not a QEMU log, or one without "
			      "-d in_asm,exec,nochain");
	reader_free(reader);
	if (ret) {
		qemulog_free(log);
		log = NULL;
	}
	*out = log;
	return ret;
}
