"""The parts of `subword.compare`.

task                what all trainers are given
trainers, process   each trainer as a function; in a process of its own
run                 what a trainer did
report, chart       runs compared, in a table, in a chart
"""
