// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes, after one that chooses the form, as a log with a line for each instruction. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/pclog.h"

/* What counts must be as many instructions as are reported, all of known addresses. */
static uint64_t check_cpu(const struct pclog *log, unsigned cpu)
{
	static struct pclog_reader reader;
	const uint32_t *ids;
	uint64_t all = 0;
	size_t n;

	pclog_reader_init(&reader, log, cpu);
	while (pclog_next(&reader, &ids, &n, NULL) == 0) {
		MUST(n);
		for (size_t i = 0; i < n; i++)
			MUST(ids[i] && ids[i] <= log->n);
		all += n;
	}
	MUST(all == pclog_length(log, cpu));
	MUST(all <= logspool_length(log->spool, cpu));
	return all;
}

/* What instructions did is of instructions that count, in order. */
static void check_values(const struct pclog *log, unsigned cpu)
{
	static struct pclog_values reader;
	struct logvalue value;
	uint64_t position = 0;

	if (!log->values.spool)
		return;
	pclog_values_init(&reader, log, cpu);
	while (pclog_values_next(&reader, &value, NULL) == 0) {
		MUST(value.position >= position);
		MUST(value.position < pclog_length(log, cpu));
		position = value.position;
	}
}

static void check(const struct pclog *log)
{
	uint64_t all = 0;

	MUST(log->n && log->cpus && log->cpus <= LOGSPOOL_CPUS);
	for (unsigned cpu = 0; cpu < LOGSPOOL_CPUS; cpu++) {
		uint64_t insns = check_cpu(log, cpu);

		MUST(!insns || cpu < log->cpus);
		check_values(log, cpu);
		all += insns;
	}
	MUST(all && check_cpu(log, log->cpus - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static int fd = -1;
	enum pclog_form form;
	struct pclog *log;
	struct wm_error err;

	watch_cpu();
	if (!bytes)
		return 0;
	form = data[0] % 3;
	data++;
	bytes--;
	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	MUST(fd >= 0 && ftruncate(fd, 0) == 0);
	MUST(pwrite(fd, data, bytes, 0) == (ssize_t)bytes && lseek(fd, 0, SEEK_SET) == 0);
	(void)pclog_is_listing(fd);
	if (pclog_read(&log, form, fd, &err) == 0)
		check(log);
	else
		MUST(err.code < 0 && *err.text && !log);
	pclog_free(log);
	return 0;
}
