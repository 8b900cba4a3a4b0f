// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A second file for the same name, which is to replace the first one. A recording that keeps
 * only the newest part of its threads rewrites its file that way.
 *
 * Invariant: as long as both are there, the first one is complete and the second one may be
 * dropped. So a full disk costs the second one: make_room() in writer.c truncates it.
 */
#include "format/writer-data.h"

int writer_open_beside(struct writer **out, struct writer *writer, struct wm_error *err)
{
	int ret = writer_open(out, writer->path, err);

	if (ret)
		return ret;
	ret = writer_set_features(*out, writer->features, err);
	if (ret) {
		writer_abort(*out);
		return ret;
	}
	(*out)->mode = writer->mode;
	writer->beside = *out;
	return 0;
}

int writer_replace(struct writer *old, struct writer *beside, struct wm_error *err)
{
	int ret = old->temporary ? 0 : writer_publish(beside, err);

	beside->keeps_old = old->temporary && old->keeps_old;
	if (!ret)
		writer_abort(old);
	return ret;
}

void writer_abandon(struct writer *old, struct writer *beside)
{
	old->beside = NULL;
	writer_abort(beside);
}
