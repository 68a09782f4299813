"""SessionStart: the digest of the post-mortem to the model, one line to the human."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio  # noqa: E402
from rld.events import session_start  # noqa: E402

hookio.run(session_start.answer)
