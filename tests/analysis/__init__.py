"""Explaining, measuring and pruning a vocabulary."""
