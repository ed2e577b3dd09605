"""One module a task: how an answer comes about, and when it is right."""
