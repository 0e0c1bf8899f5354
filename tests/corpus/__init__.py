"""Files to counts, and files to token files."""
