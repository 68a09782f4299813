"""PreToolUse: the model's direct edit of the post-mortem is answered with how to propose instead."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import pre_tool_use

hookio.run(pre_tool_use.answer)
