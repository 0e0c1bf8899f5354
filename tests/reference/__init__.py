"""The algorithms in plain Python: known answers, and one version against another."""
