"""Encoding and decoding, call by call and kind of model by kind of model."""
