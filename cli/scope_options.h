/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that say which part of which trace is meant. */
#ifndef CLI_SCOPE_OPTIONS_H
#define CLI_SCOPE_OPTIONS_H

#include <argp.h>

#include "query/scope.h"

/* For a parser's children; its input is a struct scope. Takes the FILE, too. */
extern const struct argp scope_argp;

#endif
