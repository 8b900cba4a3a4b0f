// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/pclog.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "trace/hex.h"
#include "trace/loglines.h"
#include "trace/u64map.h"

/* What Spike may say that an instruction was executed in a row. */
enum { ROW_MAX = 1 << 20 };

struct reader {
	struct pclog *log;
	struct wm_error *err;
	struct u64map ids; /* address -> id */
	uint32_t last[LOGSPOOL_CPUS];
};

/* What a line says. */
struct entry {
	uint64_t cpu, pc;
	uint64_t more; /* times that the instruction before ran besides; 0: `pc` ran */
};

enum { NOTHING = 1 };

/* ---- pieces of a line ----------------------------------------------------------------- */

static const char *blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* Past a decimal number, which is not over a milliard; NULL when there is none. */
static const char *decimal(const char *at, const char *end, uint64_t *number)
{
	const char *begin = at;

	for (*number = 0; at < end && *at >= '0' && *at <= '9'; at++) {
		*number = *number * 10 + (uint64_t)(*at - '0');
		if (*number > 1000000000)
			return NULL;
	}
	return at > begin ? at : NULL;
}

static const char *word(const char *at, const char *end, const char *text)
{
	size_t bytes = strlen(text);

	return at && (size_t)(end - at) >= bytes && !memcmp(at, text, bytes) ?
		       at + bytes :
		       NULL;
}

/* Past "0x" and digits; NULL when they are not there. */
static const char *address(const char *at, const char *end, uint64_t *value)
{
	const char *digits = word(at, end, "0x");

	if (!digits)
		return NULL;
	at = hex_number(digits, end, value);
	return at > digits ? at : NULL;
}

/* ---- lines ------------------------------------------------------------------------------ */

static int not_such(struct reader *reader, uint64_t offset, const char *why)
{
	return wm_fail(reader->err, WM_E_FORMAT, offset, "%s", why);
}

/* Behind the core's number: an instruction, or how often the last one ran. */
static int parse_spike_rest(struct reader *reader, const char *at, const char *end,
			    uint64_t offset, struct entry *entry)
{
	const char *executed = word(at, end, "Executed ");
	uint64_t ignored;

	if (executed) {
		executed = decimal(executed, end, &entry->more);
		if (!executed || entry->more < 2 || entry->more > ROW_MAX)
			return not_such(reader, offset,
					"a line of the log, at this offset, has an "
					"instruction executed no, or far too many times");
		entry->more--;
		return 0;
	}
	if (address(at, end, &entry->pc))
		return 0;
	at = decimal(at, end, &ignored);
	if (at && address(blanks(at, end), end, &ignored))
		return not_such(reader, offset,
				"the log is one of commits (--log-commits); make it with "
				"-l alone");
	return NOTHING;
}

static int parse_spike(struct reader *reader, const char *line, const char *end,
		       uint64_t offset, struct entry *entry)
{
	const char *at = word(line, end, "core");

	if (at)
		at = decimal(blanks(at, end), end, &entry->cpu);
	at = word(at, end, ": ");
	return at ? parse_spike_rest(reader, at, end, offset, entry) : NOTHING;
}

static int parse_execlog(struct reader *reader, const char *line, const char *end,
			 uint64_t offset, struct entry *entry)
{
	const char *at = decimal(line, end, &entry->cpu);
	uint64_t opcode;

	(void)reader;
	(void)offset;
	at = word(at, end, ", ");
	at = at ? address(at, end, &entry->pc) : NULL;
	at = word(at, end, ", ");
	at = at ? address(at, end, &opcode) : NULL;
	return word(at, end, ", \"") ? 0 : NOTHING;
}

static int parse_qemu(struct reader *reader, const char *line, const char *end,
		      uint64_t offset, struct entry *entry)
{
	const char *at = address(line, end, &entry->pc);

	(void)reader;
	(void)offset;
	return word(at, end, ":  ") ? 0 : NOTHING;
}

static int (*const parsers[])(struct reader *reader, const char *line, const char *end,
			      uint64_t offset, struct entry *entry) = {
	[PCLOG_SPIKE] = parse_spike,
	[PCLOG_EXECLOG] = parse_execlog,
	[PCLOG_QEMU] = parse_qemu,
};

/* ---- the sequence --------------------------------------------------------------------------- */

static int add(struct reader *reader, unsigned cpu, uint64_t pc)
{
	struct pclog *log = reader->log;
	uint32_t *id = u64map_at(&reader->ids, pc);

	if (!id)
		return wm_fail_nomem(reader->err, "reading a log");
	if (!*id) {
		if (!APPEND(log->pcs, log->n, pc))
			return wm_fail_nomem(reader->err, "reading a log");
		*id = log->n;
	}
	reader->last[cpu] = *id;
	if (cpu >= log->cpus)
		log->cpus = cpu + 1;
	return logspool_add(log->spool, cpu, *id, reader->err);
}

static int add_entry(struct reader *reader, const struct entry *entry, uint64_t offset)
{
	unsigned cpu = (unsigned)entry->cpu;
	int ret = 0;

	if (entry->cpu >= LOGSPOOL_CPUS)
		return not_such(reader, offset,
				"a line of the log, at this offset, has a CPU of too "
				"high a number");
	if (!entry->more)
		return add(reader, cpu, entry->pc);
	if (!reader->last[cpu])
		return not_such(reader, offset,
				"the log begins in the middle: the line at this offset "
				"is about an instruction before");
	for (uint64_t i = 0; !ret && i < entry->more; i++)
		ret = logspool_add(reader->log->spool, cpu, reader->last[cpu],
				   reader->err);
	return ret;
}

/* A reader of one form. */
struct former {
	struct reader reader;
	enum pclog_form form;
};

static int take_line(void *cookie, const char *line, const char *end, uint64_t offset)
{
	struct former *former = cookie;
	struct entry entry = { .cpu = 0 };
	int ret;

	if (end > line && end[-1] == '\r')
		end--;
	ret = parsers[former->form](&former->reader, line, end, offset, &entry);
	if (ret)
		return ret == NOTHING ? 0 : ret;
	return add_entry(&former->reader, &entry, offset);
}

static int read_form(struct pclog *log, enum pclog_form form, int fd,
		     struct wm_error *err)
{
	struct former *former = calloc(1, sizeof(*former));
	int ret;

	if (!former || u64map_init(&former->reader.ids)) {
		free(former);
		return wm_fail_nomem(err, "reading a log");
	}
	former->form = form;
	former->reader.log = log;
	former->reader.err = err;
	ret = loglines_read(&(struct loglines){ take_line, former }, fd, err);
	u64map_fini(&former->reader.ids);
	free(former);
	if (!ret && !log->n)
		ret = wm_fail(err, WM_E_FORMAT, 0,
			      "no line of the log is about an instruction");
	return ret;
}

int pclog_read(struct pclog **out, enum pclog_form form, int fd, struct wm_error *err)
{
	struct pclog *log = calloc(1, sizeof(*log));
	int ret;

	*out = NULL;
	if (!log)
		return wm_fail_nomem(err, "reading a log");
	ret = logspool_new(&log->spool, err);
	if (!ret)
		ret = read_form(log, form, fd, err);
	if (ret)
		pclog_free(log);
	else
		*out = log;
	return ret;
}

void pclog_free(struct pclog *log)
{
	if (!log)
		return;
	logspool_free(log->spool);
	free(log->pcs);
	free(log);
}

bool pclog_is_listing(int fd)
{
	char text[80];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	uint64_t ignored;
	const char *at = n > 0 ? address(text, text + n, &ignored) : NULL;

	return at && word(at, text + n, ":  ");
}
