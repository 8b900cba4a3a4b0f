// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file is mapped when all of it is written. It has no name, so nobody else can shorten it
 * under the mapping, as one could a file that was given to us.
 *
 * Pages of a mapping that were read count as this process' memory until it gives them back;
 * then they are the file's alone, which the system keeps or drops as it likes.
 *
 * Invariant: the file has the first `written` bytes, `buf` those behind them.
 */
#include "base/spool.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/temporary.h"

/* Stays in memory; also what is written, and given back, at a time. */
enum { SPOOL_BYTES = 1 << 20 };

struct spool *spool_new_of(size_t least)
{
	struct spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return NULL;
	spool->fd = -1;
	spool->least = least;
	return spool;
}

struct spool *spool_new(void)
{
	return spool_new_of(SPOOL_BYTES);
}

void spool_free(struct spool *spool)
{
	if (!spool)
		return;
	if (spool->map)
		munmap(spool->map, spool->written);
	if (spool->fd >= 0)
		close(spool->fd);
	buf_fini(&spool->buf);
	free(spool);
}

static int write_all(struct spool *spool, const uint8_t *data, size_t bytes,
		     struct wm_error *err)
{
	size_t done = 0;

	if (spool->fd < 0)
		spool->fd = temporary_open(err);
	if (spool->fd < 0)
		return WM_E_OUTPUT;
	while (done < bytes) {
		ssize_t n = write(spool->fd, data + done, bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return wm_fail_write(err, "a temporary file");
		done += (size_t)n;
	}
	spool->written += bytes;
	return 0;
}

static int write_out(struct spool *spool, struct wm_error *err)
{
	int ret = write_all(spool, spool->buf.data, spool->buf.len, err);

	spool->buf.len = 0;
	return ret;
}

int spool_put(struct spool *spool, const void *data, size_t bytes, struct wm_error *err)
{
	int ret = 0;

	/* Much is not copied, but written from where it is. */
	if (bytes >= SPOOL_BYTES) {
		ret = write_out(spool, err);
		return ret ? ret : write_all(spool, data, bytes, err);
	}
	buf_put(&spool->buf, data, bytes);
	if (spool->buf.failed)
		return wm_fail_nomem(err, "what is spooled");
	/* Once there is a file, little is kept. */
	return spool->buf.len < (spool->fd < 0 ? spool->least : SPOOL_BYTES) ?
		       0 :
		       write_out(spool, err);
}

int spool_end(struct spool *spool, struct span *all, struct wm_error *err)
{
	void *map;
	int ret;

	*all = span_of(spool->buf.data, spool->buf.len);
	if (spool->fd < 0)
		return 0;
	ret = write_out(spool, err);
	if (ret)
		return ret;
	buf_fini(&spool->buf);
	map = mmap(NULL, spool->written, PROT_READ, MAP_SHARED, spool->fd, 0);
	if (map == MAP_FAILED)
		return wm_fail_errno(err, "a temporary file");
	/* The mapping keeps the file: as many can be open as there are mappings. */
	close(spool->fd);
	spool->fd = -1;
	spool->map = map;
	*all = span_of(map, spool->written);
	return 0;
}

void spool_give_back(const struct spool *spool, uint64_t *given_back, const uint8_t *at)
{
	/* A spool of little memory is one of many, which are read at a time. */
	uint64_t step = spool->least < SPOOL_BYTES ? spool->least : SPOOL_BYTES, bytes;

	if (!spool->map || (uint64_t)(at - spool->map) < *given_back + step)
		return;
	bytes = (uint64_t)(at - spool->map) / step * step;
	madvise(spool->map + *given_back, bytes - *given_back, MADV_DONTNEED);
	*given_back = bytes;
}
