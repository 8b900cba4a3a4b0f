/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of `waymark browse`: the bytecodes and methods of a managed program. */
#ifndef CLI_BROWSE_BROWSER_METHODS_H
#define CLI_BROWSE_BROWSER_METHODS_H

#include "cli/browse/browser.h"

/* Reads which methods there are; browser_methods_fini() frees that, also after a failure. */
int browser_methods_init(struct browser *browser, struct wm_error *err);
void browser_methods_fini(struct browser *browser);

/* The walk is at the begin of another thread: bytecodes are shown if it executed any. */
int browser_methods_enter(struct browser *browser, struct wm_error *err);
/* Shows bytecodes, or native code again; a message says why not. */
void browser_methods_toggle(struct browser *browser);

/* Looks at the position, at most `most` instructions back; the stack is then one of methods. */
int browser_methods_look(struct browser *browser, uint64_t most, struct wm_error *err);
/* Whether the position is shown as a bytecode: the look has found one. */
static inline bool browser_methods_shown(const struct browser *browser)
{
	return browser->methods.shown && browser->methods.view.n_frames;
}

/* The same as walk_step() among bytecodes. */
int browser_methods_step(struct browser *browser, enum walk_step step, bool back,
			 struct wm_error *err);
/* Whether the target is a place of methods, while bytecodes are shown. */
bool browser_methods_have(const struct browser *browser, const struct target *target);
/* Goes there. Results are those of target_go(). */
int browser_methods_go(struct browser *browser, bool back, struct wm_error *err);

/* "fib@36" of a frame of a method, into text[BROWSER_TEXT]; returns it. */
const char *browser_methods_place(const struct unit *unit, uint32_t offset, char *text);

#endif
