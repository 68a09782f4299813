"""SessionEnd: notes the end."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio  # noqa: E402
from rld.events import session_end  # noqa: E402

hookio.run(session_end.answer)
