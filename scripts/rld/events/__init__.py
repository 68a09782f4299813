"""What each hook answers: one module per event, one function `answer(event, project)`."""
