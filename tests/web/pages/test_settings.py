"""Settings: tokens, webhooks, schedules and the audit, each as the API has it."""

import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.cluster.lab import eventually, free_port
from tests.web.browsing import Visit


@pytest.mark.long
def test_a_token_is_made_shown_once_and_revoked(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/settings/tokens")
    page.get_by_role("button", name="New token").click()
    dialog = page.get_by_role("dialog", name="New token")
    expect(dialog.get_by_role("textbox", name="Name")).to_have_attribute("aria-required", "true")
    dialog.get_by_role("button", name="Make token").click()
    expect(dialog.get_by_role("textbox", name="Name")).to_be_focused()
    expect(dialog).to_contain_text("The text is too short")
    assert visit.violations() == []
    dialog.get_by_role("textbox", name="Name").fill("ci")
    dialog.get_by_role("combobox", name="Role").select_option("operator")
    # What cannot be read is told while somebody types: sent, it would make a token without end.
    dialog.get_by_role("textbox", name="Days").fill("soon")
    expect(dialog.get_by_text("A number is needed, and this is \u201csoon\u201d.")).to_be_visible()
    dialog.get_by_role("textbox", name="Days").fill("30")
    dialog.get_by_role("button", name="Make token").click()
    shown = page.get_by_role("dialog", name="The secret of token ci")
    expect(shown).to_contain_text("Copy it now")
    secret = shown.locator("pre").inner_text()
    visit.shoot("secret")
    shown.get_by_role("button", name="I have it").click()
    token = next(item for item in visit.site.get("/tokens")["items"] if item["name"] == "ci")
    assert (token["role"], token["expires_at"] is not None) == ("operator", True)
    expect(page.get_by_text(secret)).to_have_count(0)
    page.get_by_role("button", name=f"token {token['id']} of ci").click()
    page.get_by_role("button", name="Revoke it").click()
    expect(page.get_by_role("rowheader", name="ci", exact=True)).to_have_count(0)
    assert all(item["name"] != "ci" for item in visit.site.get("/tokens")["items"])


def test_the_line_below_the_tokens_runs_in_a_bare_shell(visit: Visit, tmp_path: Path) -> None:
    line = visit.open("/settings/tokens").locator("main pre").inner_text()
    bare = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["/bin/sh", "-c", line], env=bare, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), line
    assert "admin" in done.stdout


@pytest.mark.long
def test_a_nodes_token_is_rotated_by_its_agent(visit: Visit) -> None:
    page = visit.open("/settings/tokens")
    (token,) = [item for item in visit.site.get("/tokens")["items"] if item["kind"] == "agent"]
    button = page.get_by_role("button", name=f"Rotate … token {token['id']} of {token['name']}")
    button.click()
    expect(page.get_by_role("dialog")).to_contain_text("running jobs continue.")
    page.get_by_role("button", name="Rotate it").click()
    eventually(
        lambda: [
            event["actor"]
            for event in visit.site.get("/events?action=token.rotated")["items"]
            if event["target_id"] == str(token["id"])
        ],
        "the agent's exchange",
    )
    expect(button).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert visit.violations() == []


def test_a_new_webhook_tells_of_ended_jobs_and_can_be_made_without_scrolling(visit: Visit) -> None:
    page = visit.open("/settings/webhooks")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="New webhook").click()
    dialog = page.get_by_role("dialog", name="New webhook")
    for event in ("job.failed", "job.succeeded"):
        expect(dialog.get_by_role("checkbox", name=event, exact=True)).to_be_checked()
    expect(dialog.get_by_role("button", name="Make webhook")).to_be_in_viewport(ratio=1)
    dialog.get_by_role("textbox", name="Name").fill("ops")
    dialog.get_by_role("textbox", name="URL").fill("https://example.org/hook")
    dialog.get_by_text("The same as a command").click()
    expect(dialog.locator("pre").first).to_contain_text(
        "webhook add ops https://example.org/hook --event job.succeeded"
    )
    page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.long
def test_a_webhook_is_made_tested_disabled_and_removed(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/settings/webhooks")
    page.get_by_role("button", name="New webhook").click()
    dialog = page.get_by_role("dialog", name="New webhook")
    dialog.get_by_role("textbox", name="Name").fill("alerts")
    dialog.get_by_role("textbox", name="URL").fill("ftp://example.org")
    dialog.get_by_role("button", name="Make webhook").click()
    expect(dialog.get_by_text("It must begin with https://")).to_be_visible()
    # Nobody listens there, so that the delivery fails.
    dialog.get_by_role("textbox", name="URL").fill(f"http://127.0.0.1:{free_port()}/hook")
    expect(dialog.get_by_text("It must begin with https://")).to_have_count(0)
    dialog.get_by_role("button", name="Make webhook").click()
    shown = page.get_by_role("dialog", name="The secret of webhook alerts")
    expect(shown.locator("pre")).to_have_text(re.compile("^whsec_"))
    shown.get_by_role("button", name="I have it").click()
    page.get_by_role("link", name="alerts").click()
    page.get_by_role("button", name="Send a test").click()
    delivery = page.get_by_role("row", name="webhook.test")
    expect(delivery).to_contain_text("No answer")
    delivery.get_by_role("button", name="again").click()
    expect(delivery).to_have_count(2)
    visit.shoot("webhooks")
    assert visit.violations() == []
    page.get_by_role("button", name="Disable").click()
    expect(page.get_by_role("row", name="alerts")).to_contain_text("disabled")
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_role("row", name="alerts")).to_have_count(0)
    assert all(item["name"] != "alerts" for item in visit.site.get("/webhooks")["items"])


@pytest.mark.long
def test_a_schedule_is_made_run_edited_and_removed(visit: Visit) -> None:
    visit.expect_error("422")
    page = visit.open("/settings/schedules")
    page.get_by_role("button", name="New schedule").click()
    dialog = page.get_by_role("dialog", name="New schedule")
    dialog.get_by_role("textbox", name="Name").fill("nightly")
    dialog.get_by_role("textbox", name="Cron expression").fill("61 2 * * *")
    # The list has recent jobs only, and other tests may have submitted many since.
    dialog.get_by_role("combobox", name="Job to repeat").select_option("number")
    dialog.get_by_role("textbox", name="Number of the job").fill("1")
    # The server's sentence comes while somebody types, and again if the form is sent.
    expect(dialog.get_by_text("has a bad minute")).to_be_visible()
    dialog.get_by_role("button", name="Make schedule").click()
    expect(dialog.get_by_role("textbox", name="Cron expression")).to_be_focused()
    dialog.get_by_role("combobox", name="Repeat", exact=True).select_option("day")
    dialog.get_by_label("Time", exact=True).fill("02:30")
    expect(dialog.get_by_role("textbox", name="Cron expression")).to_have_value("30 2 * * *")
    expect(dialog.get_by_text("has a bad minute")).to_have_count(0)
    expect(dialog.get_by_role("list", name="Next times").get_by_role("listitem")).to_have_count(5)
    dialog.get_by_role("button", name="Make schedule").click()
    page.get_by_role("link", name="nightly").click()
    expect(page.get_by_role("list", name="Next times").get_by_role("listitem")).to_have_count(5)
    visit.shoot("schedules")
    assert visit.violations() == []
    schedule = visit.site.get("/schedules")["items"][0]
    assert schedule["spec"]["benchmark"] == visit.site.get("/jobs/1")["spec"]["benchmark"]
    page.get_by_role("button", name="Edit").click()
    edit = page.get_by_role("dialog", name="Edit schedule nightly")
    edit.get_by_role("textbox", name="Cron expression").fill("0 3 * * MON")
    edit.get_by_role("button", name="Change schedule").click()
    expect(page.get_by_role("row", name="nightly")).to_contain_text("0 3 * * MON")
    page.get_by_role("button", name="Disable").click()
    expect(page.get_by_text("It is disabled")).to_be_visible()
    page.get_by_role("button", name="Run now").click()
    expect(page).to_have_url(re.compile(r"/jobs/\d+$"))
    expect(page.locator("main").get_by_text("succeeded").first).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_role("row", name="nightly")).to_have_count(0)


@pytest.mark.long
def test_the_audit_is_filtered_by_the_url_and_exported(visit: Visit) -> None:
    page = visit.open("/settings/audit")
    expect(page.get_by_role("row", name="job.submitted").first).to_be_visible()
    page.get_by_role("textbox", name="Target").fill("job:1")
    page.get_by_role("textbox", name="Action").fill("job.sub*")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("target=job%3A1"))
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("pre")).to_contain_text("--target job:1")
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="CSV of all that match").click()
    lines = downloaded.value.path().read_text().splitlines()
    assert len(lines) == 2
    assert "job.submitted" in lines[1]
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("tbody tr").nth(2)).to_be_visible()
