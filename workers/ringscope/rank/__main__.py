"""``python -m ringscope.rank``: one rank of a job."""

import sys

from ringscope.rank.program import main

sys.exit(main())
