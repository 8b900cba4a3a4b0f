/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An entry of the model's sequence: an id, whether its position is a fork, and the mark of the
 * block (encoder_mark()), which the decoder has not.
 */
#ifndef FORMAT_ENTRY_H
#define FORMAT_ENTRY_H

#define MODEL_FORK 0x80000000u
#define MODEL_MARK 0x40000000u
#define MODEL_ID 0x3fffffffu

#endif
