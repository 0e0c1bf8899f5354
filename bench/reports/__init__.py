"""What becomes of a run: targets, tables, the filed result, charts, the numbers of README."""
