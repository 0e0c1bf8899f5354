"""The command line: what each command prints and writes, and how it fails."""
