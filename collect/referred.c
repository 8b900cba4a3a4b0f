// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A block is referred to only when its bytes are those of the copy that is kept, so what a
 * reader finds there is what ran: code that the loader changed, or that a program wrote over
 * its own, differs and goes into the trace. Which of several mappings the block came from
 * does not matter: equal bytes are as good.
 *
 *	mapped 0x10000..0x12000, file offset 0x400	bias 0xfc00
 *	block at 0x10010: bytes 0x410.. of the copy	equal: from file 1
 *
 * A file is copied once for each build. Others may record the same program now, so a copy
 * gets its name when it is whole, and whoever is last replaces equal bytes.
 */
#include "collect/referred.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/elf_head.h"
#include "collect/mapped.h"

void referred_init(struct referred *referred, bool wanted)
{
	referred->wanted = wanted;
	referred->n = 0;
}

void referred_fini(struct referred *referred)
{
	for (uint32_t i = 0; i < referred->n; i++) {
		free((char *)referred->files[i].path);
		free((char *)referred->files[i].build_id);
		close(referred->copies[i].fd);
	}
	referred->n = 0;
}

/* ---- keeping a copy ------------------------------------------------------ */

static bool make_folders(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}

static bool copy(int from, int to, uint64_t bytes)
{
	uint8_t block[1 << 16];

	for (uint64_t at = 0; at < bytes;) {
		uint64_t left = bytes - at;
		ssize_t n = pread(from, block,
				  left < sizeof(block) ? left : sizeof(block), (off_t)at);

		if (n <= 0 || write(to, block, (size_t)n) != n)
			return false;
		at += (uint64_t)n;
	}
	return true;
}

/* An existing copy that is as long is one: it was named when it was whole. */
static int open_copy(const char *path, const struct elf_head *head)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct elf_head its_own;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size == head->code_end &&
	    elf_head_read(fd, &its_own) && !strcmp(its_own.build_id, head->build_id))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A descriptor of the copy, or -1. */
static int keep(int fd, const struct elf_head *head)
{
	char path[PATH_MAX], making[PATH_MAX];
	int kept, to, n;

	if (!cache_code(path, head->build_id))
		return -1;
	kept = open_copy(path, head);
	n = snprintf(making, sizeof(making), "%s.XXXXXX", path);
	if (kept >= 0 || n >= (int)sizeof(making) || !make_folders(making))
		return kept;
	to = mkostemp(making, O_CLOEXEC);
	if (to < 0)
		return -1;
	if (copy(fd, to, head->code_end) && !rename(making, path))
		kept = open_copy(path, head);
	else
		unlink(making);
	close(to);
	return kept;
}

/* ---- the files ----------------------------------------------------------- */

static bool is_known(const struct referred *referred,
		     const struct message_module *message, const char *path)
{
	uint64_t bias = message->start - message->file_off;

	for (uint32_t i = 0; i < referred->n; i++)
		if (referred->files[i].bias == bias &&
		    referred->copies[i].start == message->start &&
		    referred->copies[i].end == message->end &&
		    !strcmp(referred->files[i].path, path))
			return true;
	return false;
}

/* Takes the descriptor. */
static void add(struct referred *referred, const struct message_module *message,
		const char *path, const char *build_id, int fd)
{
	struct blocks_file *file = &referred->files[referred->n];

	*file = (struct blocks_file){ strdup(path), strdup(build_id),
				      message->start - message->file_off };
	referred->copies[referred->n] =
		(struct referred_copy){ message->start, message->end, fd };
	/* Counted also without memory, so that it is freed. */
	if (file->path && file->build_id) {
		referred->n++;
		return;
	}
	free((char *)file->path);
	free((char *)file->build_id);
	close(fd);
}

void referred_note(struct referred *referred, uint32_t pid,
		   const struct message_module *message, const char *path)
{
	struct elf_head head;
	int fd, kept = -1;

	if (!referred->wanted || referred->n == CODE_FILES_MAX ||
	    is_known(referred, message, path))
		return;
	fd = mapped_open(pid, message, path);
	if (fd < 0)
		return;
	if (elf_head_read(fd, &head) && *head.build_id && head.code_end)
		kept = keep(fd, &head);
	close(fd);
	if (kept >= 0)
		add(referred, message, path, head.build_id, kept);
}

/* ---- blocks -------------------------------------------------------------- */

static bool has_code(const struct referred *referred, uint32_t i,
		     const struct wm_block *block)
{
	const struct referred_copy *copy = &referred->copies[i];
	uint8_t there[BLOCK_BYTES_MAX];
	uint64_t off = block->address - referred->files[i].bias;

	return copy->start <= block->address && block->address < copy->end &&
	       block->bytes <= sizeof(there) && off <= INT64_MAX &&
	       pread(copy->fd, there, block->bytes, (off_t)off) ==
		       (ssize_t)block->bytes &&
	       !memcmp(there, block->code, block->bytes);
}

uint32_t referred_find(const struct referred *referred, const struct wm_block *block)
{
	/* From the newest: what was mapped over others counts. */
	for (uint32_t i = block->bytes ? referred->n : 0; i-- > 0;)
		if (has_code(referred, i, block))
			return i + 1;
	return 0;
}
