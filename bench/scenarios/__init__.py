"""What is measured: a function for each path, and the processes in which some of them run."""
