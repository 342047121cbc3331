"""The first screen of a job's page has few words to read."""

import json
import re

from playwright.sync_api import Route, expect
from tests.web.browsing import Visit

MOST_WORDS = 210  # all of one job alone; links to the job before and after it and earlier runs add some
# A long verdict of three algorithms on a busy laptop, all of whose values are unstable.
VERDICT = (
    "No clear winner at any size out of place: ring or direct. At 512 KiB ring is 4.35 times as fast as mpi (median "
    "of 100 rounds; 95 %: 1.88 to 10.1). In place: mpi up to 128 B, direct or mpi up to 8 KiB, direct or ring above."
)
EXPLANATION = (
    "At 512 KiB direct takes 1.11 times as long as ring (median; 95 %: 0.79 to 1.56). "
    "More iterations would narrow the interval."
)
DISTURBED = "Other load took 65 % of the processors of node vm."
# Each word of the page's visible text that lies at least partly in the window.
SHOWN_WORDS = r"""() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const words = [], range = document.createRange()
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement
    if (parent.closest('.hidden-visually, script, style, option')) continue
    if (!parent.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue
    for (const match of text.textContent.matchAll(/\S+/g)) {
      range.setStart(text, match.index)
      range.setEnd(text, match.index + match[0].length)
      const {top, bottom, left, right, width, height} = range.getBoundingClientRect()
      const isIn = top < innerHeight && bottom > 0 && left < innerWidth && right > 0
      if (isIn && width > 1 && height > 1) words.push(match[0])
    }
  }
  return words
}"""


def test_the_first_screen_of_a_job_has_few_words(visit: Visit) -> None:
    def long_winded(route: Route) -> None:
        answer = route.fetch()
        job = answer.json()
        best = job["summary"]["best"][0]
        job["spec"]["benchmark"]["algorithms"] = ["ring", "direct", "mpi"]
        names = ("ring", "direct", "mpi")
        job["summary"] |= {
            "verdict": VERDICT,
            "explanation": EXPLANATION,
            "best": [best | {"algorithm": name, "in_place": True, "is_unstable": True} for name in names],
        }
        job["attempts"][-1]["disturbed_by"] = DISTURBED
        route.fulfill(response=answer, body=json.dumps(job))

    visit.page.route("**/api/v1/jobs/1", long_winded)
    visit.page.set_viewport_size({"width": 1280, "height": 800})
    page = visit.open("/jobs/1")
    expect(page.get_by_role("region", name="Insights")).to_have_text(re.compile("Problems: .* No others"))
    expect(page.locator("figure canvas").first).to_be_visible()
    words = page.evaluate(SHOWN_WORDS)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_text(re.compile("^Problems: "))).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1440, "height": 900})
    assert len(words) <= MOST_WORDS, " ".join(words)
    assert "Disturbed." in words and "Options" in words
