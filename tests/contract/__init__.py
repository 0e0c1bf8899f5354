"""What holds for every tokenizer; the public names and errors; the rules of the source tree."""
