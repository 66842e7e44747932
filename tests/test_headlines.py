"""Headlines: their rules, and the words they get on hand-made results."""

import dataclasses
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

from multihop import Study, catalogue
from multihop.files import PageError
from multihop.report.headlines import put_headlines
from multihop.reproduction import headline_verdicts as verdicts
from multihop.reproduction.headlines import Comparison, Headline, faults
from tests.conftest import Called
from tests.papers_here import NAMES, all_headlines
from tests.test_verdicts import Frames

STUDY = "made/by-hand"
PART = {"metric": "goodput_bps", "scheme": "new", "over": "old"}


class Read(Frames):
    """Given frames, of a study with an axis of readings, all of which ran on all networks."""

    def gaps(self, metric: str, axes: Iterable[str] | None = None) -> pl.DataFrame:  # noqa: ARG002
        """None."""
        return self.runs.clear()

    def __init__(self, rows: list[dict[str, Any]], readings: list[str]) -> None:
        super().__init__(rows)
        axis = SimpleNamespace(labels=readings)
        self.study = SimpleNamespace(table=SimpleNamespace(axes={"reading": axis}))  # type: ignore[assignment]

    @property
    def finished(self) -> int:
        """As many as there are."""
        return self.runs.height


def results(ratios: Mapping[str, float], networks: int = 30, spread: float = 0.1) -> Read:
    """Flows of 2 and of 8 hops under each reading; the long ones of `new` have the ratio."""
    rows = []
    for reading, ratio in ratios.items():
        for network in range(networks):
            luck = np.random.default_rng(network)
            common = luck.normal(1.0, 0.2)
            for scheme, hops in (("old", 2), ("old", 8), ("new", 2), ("new", 8)):
                mean = ratio if (scheme, hops) == ("new", 8) else 1.0
                value = 100 * mean * common * luck.normal(1.0, spread)
                rows.append(
                    {"scheme": scheme, "network": network, "reading": reading, "hops": hops}
                    | {"goodput_bps": value}
                )
    return Read(rows, [*ratios])


def headline(*parts: Mapping[str, Any], name: str = "made") -> Headline:
    return Headline.model_validate(
        {"id": name, "paper": "ccar", "where": "nowhere", "says": "Made | for a test."}
        | {"study": STUDY, "parts": [{**PART, **part} for part in parts]}
    )


def words(chosen: list[Headline], found: Read) -> list[str]:
    return [verdict.word for verdict in verdicts.judge(chosen, {STUDY: found})]


def test_the_word_is_given_reading_by_reading() -> None:
    found = results({"a/gains": 1.3, "a/loses": 0.8, "a/near": 1.0})
    chosen = [headline({"at": "hops >= 6", "above": 1})]
    judged = verdicts.judge(chosen, {STUDY: found})
    assert [verdict.word for verdict in judged] == ["holds", "does not hold", "not decided"]
    assert verdicts.in_a_word(judged) == "holds under gains; not under loses; open under near"
    assert verdicts.in_a_word(judged[:2]) == "holds if gains"
    assert verdicts.in_a_word(judged[1:2]) == "does not hold"
    assert [verdict.reading for verdict in judged] == ["a/gains", "a/loses", "a/near"]


def test_all_parts_must_hold() -> None:
    gains = {"at": "hops >= 6", "above": 1}
    too_much = {"at": "hops >= 6", "above": 1.6}
    found = results({"a/r": 1.3})
    assert words([headline(gains)], found) == ["holds"]
    assert words([headline(gains, too_much)], found) == ["does not hold"]
    assert words([headline(gains, {"at": "hops <= 4", "above": 1})], found) == ["not decided"]


def test_a_quantity_against_itself_elsewhere() -> None:
    found = results({"a/r": 1.3})
    more = {"at": "hops >= 6", "against": "hops <= 4", "above": 1.15}
    assert words([headline(more)], found) == ["holds"]
    assert words([headline({**more, "over": None})], found) == ["holds"]
    assert words([headline({**more, "above": None, "below": 1.15})], found) == ["does not hold"]


def test_a_mean_by_itself_is_held_against_its_line() -> None:
    found = results({"a/r": 1.3})
    alone = {"over": None, "at": "hops >= 6"}
    assert words([headline({**alone, "above": 110})], found) == ["holds"]
    assert words([headline({**alone, "below": 110})], found) == ["does not hold"]


def test_many_headlines_make_each_harder() -> None:
    """Holm: an effect that is distinguishable alone is not among forty others without any."""
    found = results({"a/r": 1.03}, spread=0.08)
    one = headline({"at": "hops >= 6", "above": 1})
    others = [headline({"at": "hops <= 4", "above": 1}, name=f"null-{n}") for n in range(40)]
    assert words([one], found) == ["holds"]
    assert words([one, *others], found) == ["not decided"] * 41
    judged = verdicts.judge([one, *others], {STUDY: found})
    assert judged[0].decisive is not None
    assert judged[0].decisive.low > 1
    assert judged[0].why.startswith("one by itself would be, but of 41 judged together it needs p")
    assert judged[1].why.startswith("its interval has 1 in it")


def test_what_differs_by_less_than_the_margin_does_not_matter() -> None:
    found = results({"a/near": 1.0}, networks=200)
    one = headline({"at": "hops >= 6", "above": 1})
    assert words([one], found) == ["no difference that matters"]
    assert words([one.model_copy(update={"margin": 0.001})], found) == ["not decided"]
    judged = verdicts.judge([one], {STUDY: found})
    assert verdicts.in_a_word(judged) == "no difference that matters"


def test_too_few_networks_decide_nothing() -> None:
    assert words([headline({"at": "hops >= 6", "above": 1})], results({"a/r": 5.0}, 2)) == [
        "not decided"
    ]


def test_a_study_that_was_not_run_says_so() -> None:
    found = verdicts.judge([headline({"above": 1})], {})
    assert [verdict.word for verdict in found] == ["not run"]
    assert verdicts.in_a_word(found) == "not run"


def test_every_headline_has_its_own_name_and_papers_with_any_have_four_to_seven() -> None:
    names = [one.id for one in all_headlines()]
    assert len(set(names)) == len(names)
    for paper in NAMES:
        assert sum(one.paper == paper for one in all_headlines()) in {0, *range(4, 8)}


def test_a_headline_that_does_not_fit_is_told() -> None:
    one = all_headlines()[0]
    bad = one.parts[0].model_copy(update={"scheme": "dcra", "at": "hopps >= 6"})
    study = Study.read(catalogue.study_file(one.study))
    found = faults(one.model_copy(update={"parts": [bad]}), study)
    assert any("no scheme dcra" in fault for fault in found)
    assert any("hopps" in fault for fault in found)


def test_networks_that_decide_were_never_used_to_choose() -> None:
    for name in {one.study for one in all_headlines()}:
        assert Study.read(catalogue.study_file(name)).table.first_seed >= 10_001


@pytest.mark.parametrize("lines", [{}, {"above": 1, "below": 2}])
def test_a_comparison_has_one_line(lines: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match="needs above or below"):
        Comparison.model_validate({**PART, **lines})


def test_pages_get_them_in_full_or_in_short(tmp_path: Path) -> None:
    chosen = [headline({"at": "hops >= 6", "above": 1})]
    found = verdicts.judge(chosen, {STUDY: results({"a/gains": 1.3, "a/loses": 0.8})})
    full, short, bare = (tmp_path / f"{name}.md" for name in ("full", "short", "bare"))
    full.write_text("x\n<!-- headlines: begin -->\nearlier\n<!-- headlines: end -->\ny\n", "utf-8")
    short.write_text(
        "<!-- headlines in short: begin -->\n<!-- headlines in short: end -->\n", "utf-8"
    )
    bare.write_text("nothing\n", "utf-8")
    put_headlines(full, chosen, found, [], "the command")
    put_headlines(short, chosen, found, [], "the command")
    text = full.read_text("utf-8")
    assert "earlier" not in text
    assert "| `a/gains` | new: goodput_bps over old, hops >= 6 | 1.3" in text
    assert "| ccar | Made \\| for a test. | **holds if gains** |" in short.read_text("utf-8")
    with pytest.raises(PageError):
        put_headlines(bare, chosen, found, [], "the command")


@pytest.mark.slow("runs the studies of a paper")
@pytest.mark.usefixtures("brief_studies")
def test_the_command_judges_a_paper(called: Called, tmp_path: Path) -> None:
    done = called("headlines", "ccar", "--scale", "quick", "--networks", "1", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "dcar-helps-long" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "What holds, and under which reading" in page
    assert 'class="verdict not-decided"' in page
    rows = json.loads((tmp_path / "out" / "headlines.json").read_text("utf-8"))
    fields = {field.name for field in dataclasses.fields(verdicts.HeadlineVerdict)}
    assert {*rows[0]} == fields
    assert {row["word"] for row in rows} == {"not decided"}
    listed = called("list", "headlines", "--paper", "ccar").stdout
    assert len(listed.splitlines()) == 7
    assert "dcar-helps-long  " in listed
    wrong = called("headlines", "ccar", "--page", "none.md")
    assert wrong.returncode == 2
    assert "none.md" in wrong.stderr
