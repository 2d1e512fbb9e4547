"""A process that plans one file and may be killed: `python planner_parent.py STARTS TEXT SECONDS`.

Prints a line when the plan is made, and then waits until stdin ends.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.planners import faulty_planner, file

if __name__ == "__main__":
    planner = faulty_planner(Path(sys.argv[1]), file_seconds=float(sys.argv[3]))
    planner.plan([file("a.py", sys.argv[2])])
    sys.stdout.write("planned\n")
    sys.stdout.flush()
    sys.stdin.read()
