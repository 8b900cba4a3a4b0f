# SPDX-License-Identifier: GPL-2.0-or-later
"""What follows from several figures of a benchmark."""

import statistics


def mean_of(by_guest):
    """The geometric mean over guests; None when there are none."""
    values = [value for value in by_guest.values() if value > 0]
    return statistics.geometric_mean(values) if values else None


def share_of_log(results, guest, mode):
    """The time that a mode adds, as a part of what QEMU's own log adds; or None."""
    ratio = results.median("peers", guest, mode, "wall_ratio")
    log = results.median("peers", guest, "log", "wall_ratio")
    if ratio is None or log is None or log <= 1:
        return None
    return (ratio - 1) / (log - 1)


def shares_of_log(results, mode):
    """By guest, of those that have both."""
    shares = {guest: share_of_log(results, guest, mode)
              for guest in results.named("guest", part="peers", mode=mode)}
    return {guest: share for guest, share in shares.items() if share is not None}


def added_by_threads(results, guest, threads):
    """What recording adds: ns of CPU time to each block, and MiB; None: not known."""
    def both(measure):
        return [results.median("threads", guest, mode, measure, x=threads)
                for mode in ("waymark", "none")]

    blocks = results.median("threads", guest, "waymark", "blocks", x=threads)
    cpu, memory = both("cpu_s"), both("peak_mib")
    return ((cpu[0] - cpu[1]) * 1e9 / blocks if blocks and None not in cpu else None,
            memory[0] - memory[1] if None not in memory else None)
