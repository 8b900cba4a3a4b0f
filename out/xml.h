/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in XML and HTML. */
#ifndef OUT_XML_H
#define OUT_XML_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes text[bytes], or up to a NUL before, so that it may stand between tags and in
 * attributes. What XML cannot have, control characters and bytes that are not UTF-8, becomes ?.
 */
void xml_put(FILE *out, const char *text, size_t bytes);
/* All of a text. */
void xml_text(FILE *out, const char *text);

#endif
