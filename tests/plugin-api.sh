#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# plugin-api.sh - print which version of the plugin API to build for, of those that
# plugin/qemu_api.h has.
#
# usage: tests/plugin-api.sh QEMU

case $("$1" -version) in
*" version 7."* | *" version 8."*) echo 1 ;;
*" version 11."*) echo 7 ;;
*) echo 4 ;;
esac
