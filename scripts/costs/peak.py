"""Runs a command and writes its greatest memory to a file: `python3 -I -S peak.py FILE PROGRAM ARGUMENTS`.

A program of its own, because a process begins with the peak of the one that starts it, which has to be smaller than
that of any hook.
"""

import posix
import sys

child = posix.fork()
if not child:
    posix.execve(sys.argv[2], sys.argv[2:], posix.environ)
_, _, used = posix.wait4(child, 0)
file = posix.open(sys.argv[1], posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC)
posix.write(file, b"%d" % used.ru_maxrss)
posix.close(file)
