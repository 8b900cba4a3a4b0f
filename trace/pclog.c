// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Logs with a program counter per instruction: of QEMU's execlog plugin and of Spike.
 *
 * Each address gets an id when it first occurs, another one with each other instruction
 * there, and the ids of each CPU go to a spool (logspool.h): a log of gigabytes takes no
 * more memory than its distinct instructions.
 *
 * Invariant: a piece of a CPU begins where the code of another program or mode may begin
 * to run; the ids up to the next piece are all of the same kind. Example: user code, a
 * trap at position 70 and a return at position 95 make two pieces, {70, kernel} and {95,
 * user}; the ids before the first piece are user code.
 *
 * Whether a piece counts is decided at the end of the log, because a later instruction
 * can show what an earlier stretch was (privilege.c).
 */
#include "trace/pclog.h"
#include "isa/registers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "trace/execline.h"
#include "trace/loglines.h"
#include "trace/logwords.h"
#include "trace/privilege.h"
#include "trace/u64map.h"

/*
 * The most executions in a row that a line of Spike may claim; a log of lies must not
 * fill the disk.
 */
enum { ROW_MAX = 1 << 20 };

enum { JUNK_BYTES = 64 << 20 }; /* other lines before the first instruction, at most */

struct reader {
	struct pclog *log;
	enum pclog_form form;
	const char *isa;
	struct wm_error *err;
	struct u64map ids;	    /* address and instruction, mixed -> id */
	struct u64map words;	    /* address -> the instruction seen there last */
	struct privilege privilege; /* of Spike's log */
	unsigned user_has;	    /* as has of struct logvalues, of user mode */
	struct execlasts lasts;	    /* execlog */
};

/* ---- lines --------------------------------------------------------------- */

static int not_such(struct reader *reader, uint64_t offset, const char *why)
{
	return wm_fail(reader->err, WM_E_FORMAT, offset, "%s", why);
}

/* The next line's instruction. Some lines are about an earlier one, of which this is kept. */
static int note_word(struct reader *reader, uint64_t pc, uint32_t word)
{
	uint32_t *last = word ? u64map_at(&reader->words, pc) : &word;

	if (!last)
		return wm_fail_nomem(reader->err, "reading a log");
	*last = word;
	return 0;
}

/* A new id, from 1, because 0 marks a free cell of the map. 0: no memory. */
static uint32_t add_id(struct pclog *log, uint64_t pc, uint32_t word)
{
	uint32_t n = log->n;

	if (!APPEND(log->words, n, word) || !APPEND(log->pcs, log->n, pc))
		return 0;
	return log->n;
}

/*
 * The id of the instruction that is now at `pc`. Pairs that are mixed to the same key are
 * at the keys after it; nothing is ever removed, so the first free one ends the search.
 */
static uint32_t id_of(struct reader *reader, uint64_t pc)
{
	const struct pclog *log = reader->log;
	uint32_t word = u64map_get(&reader->words, pc), id, *place;
	uint64_t key = pc ^ (uint64_t)word << 32;

	for (; (id = u64map_get(&reader->ids, key)) != 0; key++)
		if (log->pcs[id - 1] == pc && log->words[id - 1] == word)
			return id;
	id = add_id(reader->log, pc, word);
	place = id ? u64map_at(&reader->ids, key) : NULL;
	if (!place)
		return 0;
	*place = id;
	return id;
}

static int add(struct reader *reader, uint64_t cpu, uint64_t pc, uint32_t who)
{
	struct pclog *log = reader->log;
	struct pclog_cpu *of = &log->all[cpu];
	uint32_t id = id_of(reader, pc);

	if (!id)
		return wm_fail_nomem(reader->err, "reading a log");
	/* Before the first piece, user code is assumed. */
	if (who != (of->n ? of->pieces[of->n - 1].who : PRIVILEGE_USER)) {
		struct pclog_piece piece = {
			.begin = logspool_length(log->spool, (unsigned)cpu), .who = who
		};

		if (!APPEND(of->pieces, of->n, piece))
			return wm_fail_nomem(reader->err, "reading a log");
	}
	return logspool_add(log->spool, (unsigned)cpu, id, reader->err);
}

static int check_cpu(struct reader *reader, uint64_t cpu, uint64_t offset)
{
	return cpu < LOGSPOOL_CPUS ?
		       0 :
		       not_such(reader, offset,
				"a line of the log, at this offset, has a CPU of too "
				"high a number");
}

/* The position of a CPU's last instruction so far; UINT64_MAX: it has none. */
static uint64_t last_position(const struct reader *reader, uint64_t cpu)
{
	return logspool_length(reader->log->spool, (unsigned)cpu) - 1;
}

static int add_done(struct reader *reader, uint64_t cpu, uint64_t position,
		    const struct wm_access *access)
{
	return logvalues_add(&reader->log->values, (unsigned)cpu, position, access,
			     reader->err);
}

/* What the rest of a line of execlog says that the last instruction did. */
static int take_execlog_done(struct reader *reader, uint64_t cpu, const char *at,
			     const char *end)
{
	struct wm_access access;
	int ret = 0;

	while (!ret && (at = execline_next(at, end, reader->isa, &access)))
		ret = add_done(reader, cpu, last_position(reader, cpu), &access);
	return ret;
}

static bool is_call(const char *at, const char *end)
{
	return log_word(at, end, "ecall") || log_word(at, end, "svc ") ||
	       log_word(at, end, "syscall");
}

static void note_last(struct execlasts *lasts, const struct execline *is)
{
	lasts->all[is->cpu] = (struct execlast){ is->pc, is->word, true };
	if (is->cpu > lasts->highest)
		lasts->highest = (unsigned)is->cpu;
}

/* One record; `end` is where it ends. */
static int take_execlog_one(struct reader *reader, const struct execline *is,
			    const char *end, uint64_t offset)
{
	int ret = check_cpu(reader, is->cpu, offset);

	if (!ret)
		ret = note_word(reader, is->pc, is->word);
	if (!ret)
		ret = add(reader, is->cpu, is->pc, PRIVILEGE_USER);
	if (ret)
		return ret;
	note_last(&reader->lasts, is);
	/* What the kernel did is nothing that an instruction did. */
	if (is_call(is->text, end))
		return add_done(reader, is->cpu, last_position(reader, is->cpu), NULL);
	return take_execlog_done(reader, is->cpu, execline_done(is->text, end), end);
}

/*
 * execlog writes a record and the end of its line one after the other, so CPUs that run at
 * once write their records into one line, and the ends behind them.
 */
static int take_execlog(struct reader *reader, const char *line, const char *end,
			uint64_t offset)
{
	struct execline is;
	const char *stop;
	int ret = 0;

	/* Otherwise it is another plugin's line, or a message. */
	for (; !ret && execline_read(line, end, &is); line = stop) {
		stop = execline_stop(&is, end, &reader->lasts);
		if (!stop)
			return not_such(reader, offset,
					"the line at this offset has records of several "
					"CPUs, and it cannot be told where one ends");
		ret = take_execlog_one(reader, &is, stop, offset);
	}
	return ret;
}

/* "48 89 e7  movq" is of x86, "f04f 0b00  mov.w" of ARM: see trace/logblocks.c. */
static bool is_in_parts(const char *digits, const char *stop, const char *end)
{
	ptrdiff_t width = stop - digits;

	return (width != 4 && width != 8) ||
	       (stop < end && hex_span(stop + 1, end) - (stop + 1) == width);
}

/* "0x0000000000010584:  022000ef          jal ra,34" */
static int take_qemu(struct reader *reader, const char *line, const char *end)
{
	uint64_t pc, word;
	const char *at = log_word(log_address(line, end, &pc), end, ":  "), *stop;
	int ret;

	if (!at)
		return 0;
	stop = hex_number(at, end, &word);
	reader->log->in_parts |= is_in_parts(at, stop, end);
	ret = note_word(reader, pc, (uint32_t)word);
	/* The form has no CPU number: all lines are of CPU 0. */
	return ret ? ret : add(reader, 0, pc, PRIVILEGE_USER);
}

static int check_times(struct reader *reader, const struct spikeline *line,
		       uint64_t offset)
{
	/* Spike writes the line only for repetitions. */
	if (line->times < 2 || line->times > ROW_MAX)
		return not_such(reader, offset,
				"a line of the log, at this offset, has an instruction "
				"executed no, or far too many times");
	if (!privilege_has_last(&reader->privilege, (unsigned)line->cpu))
		return not_such(reader, offset,
				"the log begins in the middle: the line at this offset "
				"is about an instruction before");
	return 0;
}

/*
 * What a commit did. Of an instruction without a line of its own, such as an ecall, that is
 * not known. A kernel's are not needed once there is user mode.
 */
static int take_commit_done(struct reader *reader, const struct spikeline *line,
			    const char *end, uint64_t position)
{
	const char *at = line->done;
	struct wm_access access, first = { .has_data = false };
	int ret = 0;

	if (line->privilege && reader->privilege.user)
		return 0;
	while (!ret && (at = spikeline_next(at, end, &access))) {
		/* Registers come first: the one of a load got the data. */
		if (access.kind == WM_ACCESS_WRITTEN && !first.has_data &&
		    access.address < REGISTERS_FIRST_CSR)
			first = access;
		else if (access.kind == WM_ACCESS_LOAD && first.has_data) {
			access.has_data = true;
			access.data[0] = first.data[0];
		}
		if (!line->privilege)
			reader->user_has |= 1u << access.kind;
		ret = add_done(reader, line->cpu, position, &access);
	}
	return ret;
}

/* After a line: instructions from position `first` on are new. */
static int take_done(struct reader *reader, const struct spikeline *line, const char *end,
		     uint64_t first)
{
	uint64_t after = last_position(reader, line->cpu) + 1;
	bool commit = line->kind == SPIKELINE_COMMIT && first < after;
	int ret = 0;

	/* Nothing is known of any instruction in a log of -l, as long as there is no commit. */
	for (; !ret && first + commit < after && reader->log->values.has; first++)
		ret = add_done(reader, line->cpu, first, NULL);
	return ret || !commit ? ret : take_commit_done(reader, line, end, after - 1);
}

static int take_spike(struct reader *reader, const char *at, const char *end,
		      uint64_t offset)
{
	struct spikeline line;
	uint64_t first = 0;
	int ret;

	spikeline_read(at, end, &line);
	if (line.kind == SPIKELINE_OTHER)
		return 0;
	ret = check_cpu(reader, line.cpu, offset);
	if (!ret && line.kind == SPIKELINE_TIMES)
		ret = check_times(reader, &line, offset);
	if (!ret) {
		first = last_position(reader, line.cpu) + 1;
		ret = note_word(reader, line.pc, line.word);
	}
	if (!ret) {
		ret = privilege_take(&reader->privilege, &line, reader->err);
	}
	return ret ? ret : take_done(reader, &line, end, first);
}

static int take_line(void *cookie, const char *line, const char *end, uint64_t offset)
{
	struct reader *reader = cookie;

	/* A file of another kind, which may have no end. */
	if (offset > JUNK_BYTES && !reader->log->n)
		return not_such(reader, offset,
				"no line of the first 64 MiB is about an instruction");
	/* Logs that passed through another system. */
	if (end > line && end[-1] == '\r')
		end--;
	switch (reader->form) {
	case PCLOG_SPIKE:
		return take_spike(reader, line, end, offset);
	case PCLOG_EXECLOG:
		return take_execlog(reader, line, end, offset);
	default:
		return take_qemu(reader, line, end);
	}
}

/* ---- whose it is --------------------------------------------------------- */

static int take_ran(void *cookie, unsigned cpu, uint64_t pc, uint32_t who)
{
	return add(cookie, cpu, pc, who);
}

/*
 * Decides each piece of a CPU, and counts the instructions of user mode, after the last
 * line.
 */
static void settle_cpu(const struct reader *reader, unsigned cpu)
{
	struct pclog_cpu *of = &reader->log->all[cpu];
	uint64_t end = logspool_length(reader->log->spool, cpu);

	of->insns = end;
	/* Backwards: a piece ends where the next one begins. */
	for (size_t i = of->n; i-- > 0; end = of->pieces[i].begin) {
		struct pclog_piece *piece = &of->pieces[i];

		/* What is still undecided did nothing that user mode must not do. */
		if (privilege_of(&reader->privilege, piece->who) == PRIVILEGE_KERNEL)
			piece->who = PRIVILEGE_KERNEL;
		else
			/* User code until an instruction proves the opposite. */
			piece->who = PRIVILEGE_USER;
		if (piece->who == PRIVILEGE_KERNEL)
			of->insns -= end - piece->begin;
	}
}

/* No user mode: a bare-metal program, which is all that ran. */
static void take_all(struct pclog *log)
{
	for (unsigned cpu = 0; cpu < LOGSPOOL_CPUS; cpu++) {
		log->all[cpu].n = 0;
		log->all[cpu].insns = logspool_length(log->spool, cpu);
	}
}

static void settle_all(const struct reader *reader)
{
	struct pclog *log = reader->log;
	uint64_t insns = 0;

	for (unsigned cpu = 0; cpu < LOGSPOOL_CPUS; cpu++) {
		settle_cpu(reader, cpu);
		insns += log->all[cpu].insns;
	}
	if (!insns)
		take_all(log);
	for (unsigned cpu = 0; cpu < LOGSPOOL_CPUS; cpu++)
		if (log->all[cpu].insns)
			/* CPUs without user code at the end of the list are left out. */
			log->cpus = cpu + 1;
	log->user = reader->privilege.user;
	if (log->user)
		log->values.has = reader->user_has;
}

/* ---- all of it ----------------------------------------------------------- */

static int read_lines(struct reader *reader, int fd)
{
	struct loglines lines = { take_line, reader };
	int ret = loglines_read(&lines, fd, reader->err);

	if (!ret)
		ret = privilege_end(&reader->privilege, reader->err);
	/* A file without any such line is not a log of this form. */
	if (!ret && !reader->log->n)
		ret = wm_fail(reader->err, WM_E_FORMAT, 0,
			      "no line of the log is about an instruction");
	if (!ret)
		settle_all(reader);
	return ret;
}

static int read_form(struct pclog *log, enum pclog_form form, const char *isa, int fd,
		     struct wm_error *err)
{
	struct execlast lasts[LOGSPOOL_CPUS] = { 0 };
	struct reader reader = { .log = log,
				 .form = form,
				 .isa = isa,
				 .err = err,
				 .lasts = { lasts, LOGSPOOL_CPUS, 0, isa } };
	int ret;

	/* Spike writes CSRs, but other logs of its form do not. */
	log->changes_from = form == PCLOG_SPIKE ? REGISTERS_FIRST_CSR : 0;
	reader.privilege.ran = take_ran;
	reader.privilege.cookie = &reader;
	ret = u64map_init(&reader.ids) || u64map_init(&reader.words) ?
		      wm_fail_nomem(err, "reading a log") :
		      privilege_init(&reader.privilege, LOGSPOOL_CPUS, err);
	if (!ret)
		ret = read_lines(&reader, fd);
	privilege_fini(&reader.privilege);
	u64map_fini(&reader.ids);
	u64map_fini(&reader.words);
	return ret;
}

int pclog_read_of(struct pclog **out, enum pclog_form form, const char *isa, int fd,
		  struct wm_error *err)
{
	struct pclog *log = calloc(1, sizeof(*log));
	int ret;

	*out = NULL;
	if (!log)
		return wm_fail_nomem(err, "reading a log");
	log->all = calloc(LOGSPOOL_CPUS, sizeof(*log->all));
	ret = log->all ? logspool_new(&log->spool, err) :
			 wm_fail_nomem(err, "reading a log");
	if (!ret)
		ret = read_form(log, form, isa, fd, err);
	/* *out stays NULL on failure. */
	if (ret)
		pclog_free(log);
	else
		*out = log;
	return ret;
}

int pclog_read(struct pclog **out, enum pclog_form form, int fd, struct wm_error *err)
{
	return pclog_read_of(out, form, "riscv64", fd, err);
}

void pclog_free(struct pclog *log)
{
	if (!log)
		return;
	for (unsigned cpu = 0; log->all && cpu < LOGSPOOL_CPUS; cpu++)
		free(log->all[cpu].pieces);
	logspool_free(log->spool);
	logvalues_fini(&log->values);
	free(log->all);
	free(log->pcs);
	free(log->words);
	free(log);
}

/* ---- what counts --------------------------------------------------------- */

uint64_t pclog_length(const struct pclog *log, unsigned cpu)
{
	return log->all[cpu].insns;
}

uint64_t pclog_all(const struct pclog *log)
{
	uint64_t insns = 0;

	for (unsigned cpu = 0; cpu < LOGSPOOL_CPUS; cpu++)
		insns += logspool_length(log->spool, cpu);
	return insns;
}

void pclog_reader_init(struct pclog_reader *reader, const struct pclog *log, unsigned cpu)
{
	reader->of = &log->all[cpu];
	reader->at = 0;
	reader->piece = 0;
	logspool_reader_init(&reader->spool, log->spool, cpu);
}

/*
 * The number of the next ids, `room` at most, that lie in one piece, and whether they
 * count.
 */
static size_t alike(struct pclog_reader *reader, size_t room, bool *counts)
{
	const struct pclog_cpu *of = reader->of;
	uint64_t end = UINT64_MAX;

	/* `piece` is the next piece; the one before it contains `at`. */
	while (reader->piece < of->n && of->pieces[reader->piece].begin <= reader->at)
		reader->piece++;
	if (reader->piece < of->n)
		end = of->pieces[reader->piece].begin;
	*counts = !reader->piece || of->pieces[reader->piece - 1].who == PRIVILEGE_USER;
	return end - reader->at < room ? (size_t)(end - reader->at) : room;
}

int pclog_next(struct pclog_reader *reader, const uint32_t **ids, size_t *n,
	       struct wm_error *err)
{
	struct logspool_reader *spool = &reader->spool;
	bool counts = false;
	int ret = 0;

	while (!counts) {
		/*
		 * A run of the spool can have several pieces, and a piece several runs.
		 */
		if (spool->at == spool->ids)
			ret = logspool_refill(spool, err);
		if (ret)
			return ret;
		*n = alike(reader, spool->ids - spool->at, &counts);
		*ids = spool->buffer + spool->at;
		spool->at += (uint32_t)*n;
		reader->at += *n;
	}
	return 0;
}

/* ---- what they did ---------------------------------------------------------------------- */

void pclog_values_init(struct pclog_values *reader, const struct pclog *log, unsigned cpu)
{
	reader->of = &log->all[cpu];
	reader->piece = 0;
	reader->left_out = 0;
	logvalues_reader_init(&reader->values, &log->values, cpu);
}

/* Whether the piece before `next` does not count. */
static bool is_left_out(const struct pclog_cpu *of, size_t next)
{
	return next && of->pieces[next - 1].who != PRIVILEGE_USER;
}

/* Moves to the piece that contains `position`. */
static void pass_pieces(struct pclog_values *reader, uint64_t position)
{
	const struct pclog_cpu *of = reader->of;

	for (; reader->piece < of->n && of->pieces[reader->piece].begin <= position;
	     reader->piece++)
		if (is_left_out(of, reader->piece))
			reader->left_out += of->pieces[reader->piece].begin -
					    of->pieces[reader->piece - 1].begin;
}

int pclog_values_next(struct pclog_values *reader, struct logvalue *value,
		      struct wm_error *err)
{
	int ret;

	do {
		ret = logvalues_next(&reader->values, value, err);
		if (ret)
			return ret;
		pass_pieces(reader, value->position);
	} while (is_left_out(reader->of, reader->piece));
	value->position -= reader->left_out;
	return 0;
}

/* Tells a log of QEMU's "in_asm" listing from other text by its first line. */
bool pclog_is_listing(int fd)
{
	char text[80];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	uint64_t ignored;
	const char *at = n > 0 ? log_address(text, text + n, &ignored) : NULL;

	return at && log_word(at, text + n, ":  ");
}
