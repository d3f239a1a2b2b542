"""`make soak`: many tables played through random faults, and nothing lost.

`run.py` has the whole, `faults.py` what goes wrong, `people.py` who plays, `report.py` what came of it.
"""
