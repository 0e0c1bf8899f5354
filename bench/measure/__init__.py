"""What every measurement needs: texts and vocabularies, clocks, rows, processes, the machine."""
