// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * State files. What was read is written again, and must be read as the same bytes. Inputs have
 * no checksum: it is added here, for the parser behind it to be reached.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "fuzz.h"
#include "query/state_file.h"

/* A file in memory, as a stream; `path` names it while it is open. */
static FILE *make_file(char path[64])
{
	int fd = memfd_create("state", MFD_CLOEXEC);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w+");

	MUST(out);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return out;
}

/* The bytes with their checksum. */
static FILE *sign(const uint8_t *data, size_t n, char path[64])
{
	FILE *out = make_file(path);
	uint8_t sum[8];

	put_u64(sum, XXH3_64bits(data, n));
	fwrite(data, 1, n, out);
	fwrite(sum, 1, sizeof(sum), out);
	MUST(!fflush(out));
	return out;
}

/* Writes it and returns all that was written. */
static struct buf write_file(const struct state_file *file, FILE *out)
{
	struct buf bytes = BUF_INIT;
	struct wm_error err = { 0 };
	int c;

	MUST(!state_file_write(file, out, &err) && !fflush(out) && !ferror(out));
	rewind(out);
	while ((c = getc(out)) != EOF)
		buf_put_u8(&bytes, (uint8_t)c);
	MUST(!bytes.failed);
	return bytes;
}

static void check_again(const struct state_file *file)
{
	char path[64], again_path[64];
	FILE *out = make_file(path), *again_out = make_file(again_path);
	struct buf first = write_file(file, out), second;
	struct wm_error err = { 0 };
	struct state_file again;

	MUST(!state_file_read(&again, path, &err));
	second = write_file(&again, again_out);
	MUST(first.len == second.len && !memcmp(first.data, second.data, first.len));
	state_file_fini(&again);
	buf_fini(&first);
	buf_fini(&second);
	fclose(out);
	fclose(again_out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct wm_error err = { 0 };
	struct state_file file;
	char path[64];
	FILE *in = sign(data, n, path);

	if (state_file_read(&file, path, &err)) {
		MUST(err.code && err.text[0]);
		fclose(in);
		return 0;
	}
	fclose(in);
	MUST(file.n_words && file.words[0] && !file.words[file.n_words]);
	for (size_t i = 0; i < file.n_pieces; i++)
		MUST(file.pieces[i].n <= file.pieces[i].parts);
	check_again(&file);
	state_file_fini(&file);
	return 0;
}
