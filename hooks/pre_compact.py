"""PreCompact: a word before an undistilled session is summed up; what the summary must not lose."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import pre_compact

hookio.run(pre_compact.answer)
