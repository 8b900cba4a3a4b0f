// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes, behind one that chooses the form, as a log with a line for each instruction. */
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "trace/pclog.h"

/* What is read must be as many instructions as are told, all of known addresses. */
static void check(const struct pclog *log)
{
	static struct logspool_reader reader;
	uint64_t all = 0;

	MUST(log->n && log->cpus && log->cpus <= LOGSPOOL_CPUS);
	for (unsigned cpu = 0; cpu < log->cpus; cpu++) {
		uint64_t n = 0;
		uint32_t id;

		logspool_reader_init(&reader, log->spool, cpu);
		while (logspool_next(&reader, &id, NULL) == 0) {
			MUST(id && id <= log->n);
			n++;
		}
		MUST(n == logspool_length(log->spool, cpu));
		all += n;
	}
	MUST(all >= log->n);
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
