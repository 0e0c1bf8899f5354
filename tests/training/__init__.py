"""Trainers: the tokens that they learn, their settings and errors, and how a training runs."""
