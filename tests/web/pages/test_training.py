"""Training jobs on the page: submitted by the form, watched while they run, compared; charts of hand-made records."""

import json
import re
import shlex

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tests.web.browsing import Site, Visit, choose, visiting

FORM = "/jobs/new?kind=training&ranks=2&epochs=2&bucket_bytes=64K&target_accuracy=0.5"
SAME = "The same in a terminal"
TIMES = r"([\d.]+)\u00d7"


@pytest.fixture(scope="module")
def trained(site: Site) -> tuple[int, int]:
    """Two jobs that trained the same in two ways."""
    ids = []
    for all_reduce in ("direct", "ring"):
        name = f"digits by {all_reduce}"
        words = (
            "--name",
            name,
            "--ranks",
            "2",
            "--epochs",
            "2",
            "--all-reduce",
            all_reduce,
            "--target-accuracy",
            "0.5",
        )
        done = site.lab.run("train", "mlp", *words, "--set", "training.bucket_bytes=64K", "--wait")
        assert done.returncode == 0, done.stderr
        ids.append(int(re.findall(r"/jobs/(\d+)", done.stdout + done.stderr)[-1]))
    return ids[0], ids[1]


def cells(page: Page, table: str) -> list[list[str]]:
    rows = page.get_by_role("table", name=table).locator("tbody tr").all()
    return [[text.strip() for text in row.locator("th, td").all_inner_texts()] for row in rows]


def terminal_line(page: Page) -> str:
    block = page.get_by_text(SAME, exact=True).locator("..").locator("pre")
    return block.text_content() or ""


@pytest.mark.long
def test_search_strategies_by_the_form_and_read_which_is_fastest(visit: Visit) -> None:
    visit.expect_error("422")  # the check of the form while no candidate is chosen
    page = visit.open("/jobs/new")
    page.get_by_role("radio", name="Strategy search").check()
    page.get_by_label("Ranks", exact=True).fill("2")
    page.get_by_label("Hidden").fill("64")
    page.get_by_role("button", name="Choose none").click()
    chosen = ("mirrored-ring", "local_sgd")
    for name in chosen:
        page.get_by_role("checkbox", name=name, exact=True).check()
    page.get_by_label("Budget").fill("60")
    page.get_by_label("Name").fill("which is fastest")
    expect(page.get_by_text("2 candidates", exact=True)).to_be_visible()
    assert visit.violations() == []
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_role("heading", name="which is fastest", level=1)).to_be_visible()
    expect(page.locator("header").get_by_text("succeeded")).to_be_visible(timeout=180_000)
    job_id = int(page.url.rpartition("/")[2].partition("?")[0])
    found = visit.site.get(f"/jobs/{job_id}/search")
    assert {candidate["name"] for candidate in found["candidates"]} == set(chosen)
    expect(page.locator("main").get_by_text(found["sentence"]).first).to_be_visible()
    choose(page, "View of the candidates", "table")
    table = page.get_by_role("table", name="Speed of each candidate")
    expect(table.locator("tbody tr")).to_have_count(len(chosen))
    assert visit.violations() == []
    visit.shoot("search")


@pytest.mark.long
def test_submit_by_the_form_and_watch_it_learn(visit: Visit) -> None:
    page = visit.open("/jobs/new")
    page.get_by_role("radio", name="Training").check()
    page.get_by_label("Ranks", exact=True).fill("2")
    page.get_by_label("Epochs").fill("2")
    page.get_by_label("Hidden").fill("64")
    page.get_by_text("Gradients", exact=True).click()
    page.get_by_label("Bucket", exact=True).fill("64K")
    page.get_by_label("Name").fill("from the form")
    assert visit.violations() == []
    line = terminal_line(page)
    assert line.endswith(
        "/ringscope train mlp --epochs 2 --name 'from the form' "
        f"--set training.model_arguments.hidden=64 --set training.bucket_bytes=65536 --url {visit.site.url}"
    )
    page.reload()
    expect(page.get_by_label("Hidden")).to_have_value("64")
    page.evaluate("window.isSameDocument = true")
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_role("heading", name="from the form", level=1)).to_be_visible()
    job_id = int(page.url.rpartition("/")[2])
    expect(page.locator("header").get_by_text("succeeded")).to_be_visible(timeout=90_000)
    for part in ("Training", "Epochs", "The newest step from inside"):
        expect(page.get_by_role("heading", name=part, exact=True)).to_be_visible()
    assert page.evaluate("window.isSameDocument"), "the page was loaded again instead of filling in"
    job = visit.site.get(f"/jobs/{job_id}")
    expect(page.get_by_text(f"{job['summary']['validation_accuracy']:.1%}".replace("%", " %")).first).to_be_visible()
    page.get_by_role("link", name="Configuration").click()
    assert terminal_line(page) == line
    words = shlex.split(line)
    same = visit.site.lab.run(*words[words.index("train") :], "--json")
    assert same.returncode == 0, same.stderr
    assert json.loads(same.stdout)["spec"] == job["spec"]
    visit.site.post(f"/jobs/{json.loads(same.stdout)['id']}/cancel", {})


@pytest.mark.long
def test_the_tables_say_what_the_api_says(visit: Visit, trained: tuple[int, int]) -> None:
    job_id = trained[0]
    page = visit.open(f"/jobs/{job_id}?view=table&inside=table")
    curve = visit.site.get(f"/jobs/{job_id}/training?points=400")
    shown = page.get_by_role("table", name="Loss, throughput and the split of a step")
    expect(shown.locator("tbody tr")).to_have_count(len(curve["points"]))
    for row, point in zip(cells(page, "Loss, throughput and the split of a step"), curve["points"], strict=True):
        whole, parts = float(row[3]), [float(text) for text in row[4:9]]
        assert whole == pytest.approx(point["duration_us"] / 1000, rel=0.01)
        assert sum(parts) == pytest.approx(whole, rel=0.02)
        assert parts[3] == pytest.approx(point["exposed_us"] / 1000, rel=0.01, abs=1e-5)
    buckets = visit.site.get(f"/jobs/{job_id}/buckets")["items"]
    rows = cells(page, "When each bucket was ready and summed")
    assert len(rows) == sum(len(rank["buckets"]) for rank in buckets)
    assert {row[0] for row in rows} == {"0", "1"}


@pytest.mark.long
def test_run_again_fills_the_form(visit: Visit, trained: tuple[int, int]) -> None:
    page = visit.open(f"/jobs/{trained[1]}")
    page.get_by_role("link", name="Run again").click()
    expect(page.get_by_role("heading", name=f"New job like job {trained[1]}")).to_be_visible()
    expect(page.get_by_label("Gradients summed by")).to_have_value("ring")
    expect(page.get_by_label("Bucket", exact=True)).to_have_value("64 KiB")
    page.get_by_label("Optimizer").select_option("adam")
    expect(page).to_have_url(re.compile("optimizer=adam"))
    page.reload()
    expect(page.get_by_label("Optimizer")).to_have_value("adam")


@pytest.mark.long
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("query", "field", "training"),
    [
        ("epochs=0", "epochs", {"epochs": 0}),
        ("dataset=cifar10", "path", {"dataset": {"name": "cifar10"}}),
        (
            "model=gpt&dataset=text&path=/t&model_arguments=heads=3",
            "model_arguments.heads",
            {"model": "gpt", "dataset": {"name": "text", "path": "/t"}, "model_arguments": {"heads": 3}},
        ),
        ("resume_from=999999", "resume_from", {"resume_from": 999_999}),
        (
            "strategy=parameter_server&consistency=ssp",
            "staleness",
            {"strategy": "parameter_server", "consistency": "ssp"},
        ),
    ],
)
def test_a_bad_field_shows_the_servers_sentence_in_the_forms_words(
    visit: Visit, query: str, field: str, training: object
) -> None:
    visit.expect_error("422")
    page = visit.open(f"/jobs/new?kind=training&{query}")
    page.get_by_role("button", name="Submit the job").click()
    answer = visit.site.post("/jobs", {"kind": "training", "training": training})
    assert answer.status_code == 422
    (problem,) = answer.json()["errors"]
    # Without the name of the field that it stands at, and with labels in place of other names.
    told = problem["detail"].partition(": ")[2].partition("_")[0].rsplit(" ", 1)[0]
    expect(page.locator("form").get_by_text(re.compile(f"^{re.escape(told)}", re.IGNORECASE))).to_be_visible()
    expect(page.locator(f"[name='{field}']")).to_be_focused()
    assert visit.violations() == []


@pytest.mark.long
def test_a_script_is_refused_at_its_field(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/jobs/new?kind=script")
    page.get_by_label("File").fill("../outside.py")
    page.get_by_label("Arguments").fill("--name\ntwo words")
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_text("without `..`")).to_be_visible()
    expect(page.get_by_label("File")).to_be_focused()
    assert visit.violations() == []


@pytest.mark.long
def test_jobs_are_chosen_in_the_list_and_compared(visit: Visit, trained: tuple[int, int]) -> None:
    page = visit.open("/jobs?q=digits by")
    for job_id in trained:
        page.get_by_role("checkbox", name=f"Choose job {job_id}", exact=True).check()
    assert visit.violations() == []
    page.get_by_role("link", name="Compare 2 jobs").click()
    expect(page).to_have_url(f"{visit.site.url}/compare?ids={trained[0]},{trained[1]}")
    rows = [visit.site.get(f"/jobs/{job_id}")["summary"]["samples_per_second"] for job_id in trained]
    row = page.get_by_role("row", name="Throughput, mean (samples/s)")
    for rate in rows:
        expect(row).to_contain_text(f"{rate:,.0f}")
    expect(page.get_by_role("row", name="all_reduce")).to_contain_text("direct")
    times = float(re.findall(TIMES, row.inner_text())[0])
    assert times == pytest.approx(rows[1] / rows[0], rel=0.01)
    page.get_by_role("radio", name=f"Job {trained[1]} as the base job").check()
    expect(page).to_have_url(re.compile(f"base={trained[1]}"))
    expect(row).to_contain_text(re.compile(TIMES))
    assert float(re.findall(TIMES, row.inner_text())[0]) == pytest.approx(rows[0] / rows[1], rel=0.01)
    page.get_by_role("link", name=f"Leave out job {trained[0]}").click()
    expect(page.get_by_role("link", name=f"job {trained[0]}", exact=True)).to_have_count(0)


@pytest.mark.long
def test_the_first_job_says_which_kind_is_compared(visit: Visit, trained: tuple[int, int]) -> None:
    page = visit.open(f"/compare?ids={trained[0]},1")
    expect(page.get_by_text("Left out, because it is no training: job 1.")).to_be_visible()
    page = visit.open(f"/compare?ids=1,{trained[0]}")
    expect(page.get_by_text(f"Left out, because it is no benchmark: job {trained[0]}.")).to_be_visible()
    assert visit.violations() == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_training_has_an_accessibility_violation(
    browser: Browser, site: Site, trained: tuple[int, int], scheme: str
) -> None:
    both = ",".join(map(str, trained))
    pages = {
        "training": f"/jobs/{trained[0]}",
        "training-table": f"/jobs/{trained[0]}?view=table&inside=table",
        "new-training": FORM,
        "new-script": "/jobs/new?kind=script",
        "compare": f"/compare?ids={both}",
        "compare-time": f"/compare?ids={both}&x=time",
        "jobs-training": "/jobs",
    }
    with visiting(browser, site, "dark" if scheme == "dark" else "light") as visit:
        visit.expect_error("422")  # what a form without a script is told
        for name, path in pages.items():
            settle(visit.open(path), name)
            visit.shoot(f"{name}-{scheme}")
            assert visit.violations() == [], name


@pytest.mark.long
def test_a_phone_never_scrolls_sideways(browser: Browser, site: Site, trained: tuple[int, int]) -> None:
    pages = {
        "training": f"/jobs/{trained[0]}",
        "new-training": FORM,
        "compare": f"/compare?ids={trained[0]},{trained[1]}",
    }
    with visiting(browser, site, width=375) as visit:
        for name, path in pages.items():
            page = visit.open(path)
            settle(page, name)
            visit.shoot(f"{name}-phone")
            assert page.evaluate("document.documentElement.scrollWidth") == 375, name


def settle(page: Page, name: str) -> None:
    """Wait until the page's own data is there."""
    if name.startswith("training"):
        expect(page.get_by_role("heading", name="The newest step from inside")).to_be_visible()
    elif name.startswith("compare"):
        expect(page.get_by_role("heading", name=re.compile("^Where a step.s time goes$"))).to_be_visible()
    elif name.startswith("new-"):
        expect(page.get_by_role("button", name="Submit the job")).to_be_visible()
    else:
        expect(page.locator("tbody tr").first).to_be_visible()


@pytest.mark.long
def test_attempts_are_joined_with_a_mark_and_a_divergence_is_said(visit: Visit, trained: tuple[int, int]) -> None:
    """The records are made by hand: 60 steps in three points, the last two of a second attempt, whose loss diverged."""

    def point(first: int, loss: float | None) -> dict[str, object]:
        times = {"duration_us": 2000.0, "compute_us": 1500.0, "communication_us": 900.0, "exposed_us": 400.0}
        others = {"input_us": 0.0, "memory_bytes": None}
        told = {"first_step": first, "last_step": first + 19, "loss": loss, "samples_per_second": 640.0}
        return told | times | others

    def answer(route: Route) -> None:
        attempts = [
            {"job_id": trained[0], "attempt": 1, "first_step": 0, "last_step": 19},
            {"job_id": trained[0], "attempt": 2, "first_step": 20, "last_step": 59},
        ]
        points = [point(0, 2.5), point(20, 1.25), point(40, None)]
        route.fulfill(json={"points": points, "steps_per_point": 20, "attempts": attempts, "epochs": []})

    visit.page.route(f"**/api/v1/jobs/{trained[0]}/training*", answer)
    page = visit.open(f"/jobs/{trained[0]}")
    expect(page.get_by_text("A vertical line marks where an attempt or a resumed job continued")).to_be_visible()
    expect(page.get_by_text("Each point is the mean of 20 steps.").first).to_be_visible()
    visit.shoot("training-retried")
    choose(page, "View", "table", exact=True)
    rows = cells(page, "Loss, throughput and the split of a step")
    assert rows[0] == ["0 \u2013 19", "2.50", "640", "2.00", "0", "1.00", "0.500", "0.400", "0.100", "\u2013"]
    assert [row[1] for row in rows] == ["2.50", "1.25", "diverged"]


@pytest.mark.long
def test_the_overview_shows_training_beside_benchmarks(visit: Visit, trained: tuple[int, int]) -> None:
    page = visit.open("/")
    accuracy = visit.site.get(f"/jobs/{trained[0]}")["summary"]["validation_accuracy"]
    bar = page.get_by_role("link", name=f"Job {trained[0]}, digits by direct: succeeded, mlp on digits")
    expect(bar).to_have_accessible_name(re.compile(f"Accuracy {100 * accuracy:.1f} %"))
    expect(page.get_by_text("Height of training: accuracy on held-out samples.")).to_be_visible()
