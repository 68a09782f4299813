"""PostToolUse: notes edits and verifies; after a passing verify without an entry, the nudge."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import post_tool_use

hookio.run(post_tool_use.answer)
