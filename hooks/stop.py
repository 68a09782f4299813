"""Stop: asks once for the entry of a verified item; otherwise one line to the human, or silence."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import stop

hookio.run(stop.answer)
