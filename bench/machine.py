# SPDX-License-Identifier: GPL-2.0-or-later
"""What a benchmark ran on."""

import datetime
import os
import platform

import measure


def cpu():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def facts(setup):
    version = measure.output_of([setup.qemu, "--version"]).splitlines()[0]
    return {
        "machine": platform.machine(),
        "cpu": cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": f"{platform.system()} {platform.release()}",
        "qemu": version,
        "date": datetime.date.today().isoformat(),
        "rounds": setup.rounds,
    }
