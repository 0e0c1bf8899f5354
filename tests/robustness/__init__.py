"""Hostile input, limits of memory and threads, interrupts: nothing crashes or hangs."""
