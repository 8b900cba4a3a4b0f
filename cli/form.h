/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --format of commands that tell facts rather than tables: text for people, or JSON. */
#ifndef CLI_FORM_H
#define CLI_FORM_H

#include <argp.h>

enum form { FORM_TEXT, FORM_JSON };

/* For a parser's children; its input is an enum form, FORM_TEXT when nothing is said. */
extern const struct argp form_argp;

#endif
