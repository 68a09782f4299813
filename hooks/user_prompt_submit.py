"""UserPromptSubmit: notes that the human spoke, and binds the session to a run."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio
from rld.events import user_prompt_submit

hookio.run(user_prompt_submit.answer)
