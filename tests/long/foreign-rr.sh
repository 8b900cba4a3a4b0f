#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# All of rr's tests that can be built for the guest and do not depend on rr.

exec "$SRC/tests/foreign/suite.sh" rr
