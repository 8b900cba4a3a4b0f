# SPDX-License-Identifier: GPL-2.0-or-later
"""
packed_lines.py DECODED PROGRAM ADDR2LINE: the lines and inlined calls that a trace has of the
program's own source (the decoder's --names) are those that addr2line finds in its DWARF.
"""
import re
import subprocess
import sys

decoded, program, addr2line = sys.argv[1:]
lines, calls = {}, []
for text in open(decoded):
    if call := re.fullmatch(r"  (0x\w+) (\d+) (\S+) from (\S+):(\d+)\n", text):
        calls.append((int(call[1], 16), int(call[2]), call[3], int(call[5])))
    elif line := re.fullmatch(r"  (0x\w+) (\d+) \S*/inlined\.c:(\d+)\n", text):
        lines[int(line[1], 16)] = int(line[3])
headers = subprocess.run(["readelf", "-lW", program], capture_output=True, text=True).stdout
segment = re.search(r"LOAD +(\S+) +(\S+) .* R E ", headers)
base = int(segment[2], 16) - int(segment[1], 16)
assert len(lines) > 5 and len(calls) > 3, (lines, calls)
for at, number in lines.items():
    shown = subprocess.run([addr2line, "-fie", program, hex(at + base)], capture_output=True,
                           text=True).stdout.split("\n")
    functions = shown[0:-1:2]
    numbers = [int(re.match(r".*:(\d+)", place)[1]) for place in shown[1::2]]
    inner = [call for call in calls if call[0] <= at < call[0] + call[1]][::-1]
    assert number == numbers[0], (hex(at), number, shown)
    assert [call[2] for call in inner] == functions[:-1], (hex(at), inner, shown)
    assert [call[3] for call in inner] == numbers[1:], (hex(at), inner, shown)
