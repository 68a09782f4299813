"""SessionStart: the digest of the post-mortem to the model, one line to the human."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import session_start

hookio.run(session_start.answer)
