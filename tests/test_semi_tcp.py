"""Semi-TCP: the drawn handshakes, and the comparison with its first author's results."""

import pytest

import multihop
from multihop.draw.style import rendered
from multihop.statistics import Estimate
from multihop.validation.surplus import surplus
from tests.papers_here import FOLDER, program

handshakes, semi_tcp = program("semi-tcp", "handshakes"), program("semi-tcp", "author")
Point = semi_tcp.Point
PUBLISHED = FOLDER / "semi-tcp" / "author.csv"
SIFS_NS = 10_000


def test_every_handshake_of_the_paper_is_found_and_drawn() -> None:
    result = multihop.run(
        handshakes.SCENARIO, scheme="semi-tcp", reading="semi-tcp/ours", seed=1, frames=True
    )
    found = handshakes.find(result.json["frames"])
    assert [handshake.case for handshake in found] == list(handshakes.CASES.values())
    for (asked, answered), handshake in zip(handshakes.CASES, found, strict=True):
        request, answer, *_, last = handshake.frames
        assert [handshakes.name(frame) for frame in (request, answer, last)] == [
            asked, answered, "ACK"
        ]  # fmt: skip
        gap = answer["time_ns"] - request["time_ns"] - request["airtime_ns"]
        assert SIFS_NS <= gap < SIFS_NS + 2_000, "the answer comes SIFS after the request"
    picture = rendered(handshakes.draw(found, "a subtitle"), "svg").decode()
    assert all(f">{word}<" in picture for word in ("RTS", "RTSC", "CTS", "CTSC", "DATA", "ACK"))


def test_the_published_results_are_read() -> None:
    theirs = semi_tcp.published(PUBLISHED)
    assert theirs["chain-static", "semi-nodupack", 7, "throughput"] == 104.408
    for series in semi_tcp.SERIES:
        for hops in semi_tcp.HOPS:
            for metric in semi_tcp.FIGURES:
                assert (series.scenario, series.variant, hops, metric) in theirs


@pytest.mark.parametrize("series", semi_tcp.SERIES, ids=lambda series: series.title)
def test_a_short_chain_gives_the_authors_throughput_and_delay(series: semi_tcp.Series) -> None:
    theirs = semi_tcp.published(PUBLISHED)
    options = {"scheme": series.scheme, "set": dict(series.settings), "seed": 1}
    flow = multihop.run(semi_tcp.chain(3), **options).json["flows"][0]
    for metric in ("throughput", "delay"):
        ours = semi_tcp.FIGURES[metric][1](flow)
        stated = theirs[series.scenario, series.variant, 3, metric]
        assert ours == pytest.approx(stated, rel=semi_tcp.BAR)


def test_a_value_is_smooth_if_it_continues_its_neighbours() -> None:
    values = [100.0, 90.0, 81.0, 160.0, 64.0]
    assert [semi_tcp.is_smooth(values, place) for place in range(5)] == [
        True, True, False, False, True
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("mean", "half_width", "smooth", "verdict"),
    [
        (110.0, 1.0, True, "met"),
        (130.0, 12.0, True, "scatter"),
        (130.0, 1.0, True, "differs"),
        (130.0, 12.0, False, "not smooth"),
    ],
)
def test_a_figure_is_met_within_the_bar_or_scatters(
    mean: float, half_width: float, smooth: bool, verdict: str
) -> None:
    ours = Estimate(mean, mean - half_width, mean + half_width, 8, 8)
    assert Point(3, 100.0, ours, smooth, mean).verdict == verdict


def test_points_that_all_lie_on_one_side_are_no_chance_though_each_is_met() -> None:
    ours = Estimate(110.0, 60.0, 160.0, 8, 8)
    points = [Point(hops, 100.0, ours, True, 110.0) for hops in semi_tcp.HOPS]
    assert {point.verdict for point in points} == {"met"}
    series = next(each for each in semi_tcp.SERIES if each.scheme == "semi-tcp-author")
    figures = dict.fromkeys(semi_tcp.FIGURES, points)
    row = [Estimate(value, value - 1.0, value + 1.0, 4, 4) for value in (8e4, 9e4, 9e4, 8.8e4)]
    page = semi_tcp.markdown([(series, figures)], {"parallel": row}, 8)
    # Eight lengths from five hops on: 2 / 2**8.
    assert page.count("| 8 of 8, 1.10, 0.0078 |") == 2
    assert "| parallel | 80 ± 0 | 90 ± 0 | 90 ± 0 | 88 ± 0 | +10% |" in page


def test_a_sign_test_leaves_out_what_is_equal_and_is_even_for_an_even_split() -> None:
    found = surplus([(2.0, 1.0), (1.0, 2.0), (3.0, 3.0)])
    assert (found.points, found.above, found.factor, found.chance) == (2, 1, pytest.approx(1), 1.0)
    assert surplus([(4.0, 1.0), (9.0, 1.0)]).factor == pytest.approx(6.0)
