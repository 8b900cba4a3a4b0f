// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A mapped file is a fact of its space from the block on that is defined next: the plugin
 * sends the mapping before any block of its code. The same holds for a module of a machine's
 * kernel, which is no file here; the plugin tells its functions instead.
 *
 * Example: dummy is loaded when 5,000 blocks are defined. It gets two records, "[dummy]" at
 * its code and at what runs once, known from block 5,001 on, and one section of names.
 */
#include "collect/modules.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/guest/files.h"
#include "format/records.h"
#include "format/section.h"
#include "program/kernel/loaded.h"

/* Orders about code of the file must be on the board before the image runs that code. */
static void steer_module(struct steered *steered, uint32_t pid,
			 const struct message_module *message, const char *path,
			 const char *build_id)
{
	int fd;

	if (!steered_needs(steered, message))
		return;
	fd = mapped_open(pid, message, path);
	steered_module(steered, message, fd, path, build_id);
	if (fd >= 0)
		close(fd);
}

bool modules_take(struct image *image, struct recording *rec, struct span *span)
{
	struct message_module message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	char build_id[ELF_BUILD_ID_TEXT];
	struct module_record module = { .known_blocks = rec->defs.known,
					.build_id = build_id };
	struct buf payload = BUF_INIT;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (message.space >= image->spaces.n)
		return false;
	module.space = image->spaces.at[message.space].index;
	module.start = message.start;
	module.end = message.end;
	module.file_off = message.file_off;
	module.ns = message.ns;
	module.path = strndup((const char *)span->at, span_left(span));
	if (!module.path)
		return false;
	/* What a machine calls a file is another one here, if any. */
	if (rec->machine && !guest_files_find(&rec->files, &message, &module.path))
		message.ino = 0;
	/*
	 * Now, while the plugin waits for this message: later the file may be another
	 * one.
	 */
	if (rec->machine && !strcmp(module.path, VDSO_MODULE))
		module.build_id = (char *)kernels_vdso(&rec->vdso, rec->kernels,
						       rec->mapped.pack_code, &rec->out);
	else
		mapped_build_id(&rec->mapped, image->life.pid, &message, module.path,
				build_id);
	mapped_note(&rec->mapped, &message, module.path);
	referred_note(&rec->referred, image->life.pid, &message, module.path);
	steer_module(&rec->steered, image->life.pid, &message, module.path,
		     module.build_id);
	module_put(&payload, &module);
	output_put(&rec->out, SECTION_MODU, &payload, 0);
	buf_fini(&payload);
	free(module.path);
	return true;
}

/* ---- of a machine's kernel -------------------------------------------------------------- */

static void put_parts(const struct loaded_module *module,
		      const struct module_record *common, struct output *out)
{
	struct module_record record = *common;
	struct buf payload = BUF_INIT;

	record.path = (char *)module->path;
	record.build_id = (char *)module->build_id;
	for (unsigned i = 0; i < LOADED_PARTS; i++) {
		record.start = module->parts[i].start;
		record.end = module->parts[i].end;
		record.file_off = module->parts[i].file_off;
		if (record.end == record.start)
			continue;
		module_put(&payload, &record);
		output_put(out, SECTION_MODU, &payload, 0);
	}
	buf_fini(&payload);
}

/* Data that make no sense put nothing. */
static void put_loaded(const struct image *image, struct recording *rec,
		       const struct message_loaded *message)
{
	struct module_record common = { .space = image->space,
					.known_blocks = rec->defs.known,
					.ns = message->ns };
	struct loaded_module module;

	if (!loaded_read(&module, span_of(image->loaded.data, image->loaded.len)))
		return;
	steered_loaded(&rec->steered, message->file, &module);
	put_parts(&module, &common, &rec->out);
	/*
	 * They are packed when the module is loaded: they are in no file that a reader could
	 * open. A module that is loaded again has the names of the first time.
	 */
	if (rec->mapped.pack_code)
		output_names(&rec->out, module.build_id, module.path, &module.names);
	loaded_fini(&module);
}

bool modules_take_loaded(struct image *image, struct recording *rec, struct span *span)
{
	struct buf *data = &image->loaded;
	struct message_loaded message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes || !rec->machine || data->len + span_left(span) > LOADED_BYTES_MAX)
		return false;
	memcpy(&message, bytes, sizeof(message));
	buf_put(data, span->at, span_left(span));
	if (data->failed)
		return false;
	if (!message.more) {
		put_loaded(image, rec, &message);
		data->len = 0;
	}
	return true;
}
