"""`python -m subword`: the command line, where the command itself is not on the path."""

from subword._cli import main

if __name__ == "__main__":
    main(prog_name="python -m subword")
