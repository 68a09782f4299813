"""PostToolUseFailure: notes the failing command and the tail of its error."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import post_tool_use_failure

hookio.run(post_tool_use_failure.answer)
