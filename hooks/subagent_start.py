"""SubagentStart: a short digest, guardrails only."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import subagent_start

hookio.run(subagent_start.answer)
