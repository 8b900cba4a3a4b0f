// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file that begins as a copy of what another one has so far: a snapshot of a recording
 * that goes on.
 *
 * The trunk is only appended to, so its first trunk_end bytes are final when the branch is
 * made. The copy is made later by another thread, from a file descriptor of its own. The
 * branch's list of sections is complete from the start, because offsets are the same in both.
 */
#include "format/writer-data.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define COPY_BYTES (1u << 20) /* at a time, where copy_file_range() does not work */

static int share(struct writer *branch, const struct writer *writer, struct wm_error *err)
{
	branch->trunk = fcntl(writer->fd, F_DUPFD_CLOEXEC, 0);
	branch->trunk_end = writer->off;
	branch->sections = writer->sections;
	buf_put(&branch->toc, writer->toc.data, writer->toc.len);
	branch->toc.failed |= writer->toc.failed;
	if (branch->trunk < 0)
		return wm_fail_errno(err, "cannot copy %s", writer->path);
	return branch->toc.failed ? wm_fail_nomem(err, "copying a trace") : 0;
}

int writer_branch(struct writer **branch, const struct writer *writer, const char *path,
		  struct wm_error *err)
{
	int ret = writer_open(branch, path, err);

	if (ret)
		return ret;
	ret = writer_set_features(*branch, writer->features, err);
	if (!ret)
		ret = share(*branch, writer, err);
	if (ret)
		writer_abort(*branch);
	return ret;
}

/*
 * Copies up to `bytes` at branch->off with read and write: the number copied, 0 at the
 * end, -1.
 */
static ssize_t copy_some(struct writer *branch, size_t bytes)
{
	off_t off = (off_t)branch->off;
	ssize_t n;

	branch->packed.len = 0;
	if (bytes > COPY_BYTES)
		bytes = COPY_BYTES;
	if (!buf_reserve(&branch->packed, bytes)) {
		errno = ENOMEM;
		return -1;
	}
	n = pread(branch->trunk, branch->packed.data, bytes, off);
	return n <= 0 ? n : pwrite(branch->fd, branch->packed.data, (size_t)n, off);
}

int writer_branch_fill(struct writer *branch, struct wm_error *err)
{
	bool by_hand = false;

	while (branch->off < branch->trunk_end) {
		size_t left = branch->trunk_end - branch->off;
		off_t from = (off_t)branch->off, to = from;
		ssize_t n = by_hand ? copy_some(branch, left) :
				      copy_file_range(branch->trunk, &from, branch->fd,
						      &to, left, 0);

		if (n > 0)
			branch->off += (uint64_t)n;
		else if (!by_hand) /* other file system, or one without it */
			by_hand = true;
		else if (n == 0)
			return wm_fail(err, WM_E_IO, 0, "cannot copy: the trace changed");
		else if (errno != EINTR)
			return wm_fail_write(err, branch->path);
	}
	return 0;
}
