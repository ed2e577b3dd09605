"""What has been done in a working directory, what is stale, and what is next: from the files that lie there."""
