"""SessionEnd: notes the end."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import session_end

hookio.run(session_end.answer)
