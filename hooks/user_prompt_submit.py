"""UserPromptSubmit: notes that the human spoke, and binds the session to a run."""

import sys

sys.path.insert(0, __file__.replace("\\", "/").rpartition("/hooks/")[0] + "/scripts")

from rld import hookio  # noqa: E402
from rld.events import user_prompt_submit  # noqa: E402

hookio.run(user_prompt_submit.answer)
