"""Fuzzing of everything that reads what a user wrote or a disk kept: `python -m fuzz --help`.

`targets.py` lists what is fuzzed, and what each target may answer: a right input is taken, a wrong
one is refused in one line. `corpus/` has one input a file for each: the tests replay them all.
"""
