"""Every input that was ever found, and a few hundred new ones: taken, or refused in one line.

`make fuzz` looks for more, guided by coverage.
"""

import random
from pathlib import Path

import pytest
from fuzz.judge import Finding, one_line
from fuzz.mutation import mutated
from fuzz.targets import CORPUS, TARGETS

NEW = {"store": 15, "study": 25}
OTHERS = 60
"""New inputs of each target."""


@pytest.mark.parametrize(
    "file",
    [pytest.param(file, id=f"{name}/{file.name}") for name in TARGETS for file in
     TARGETS[name].corpus()],
)  # fmt: skip
def test_what_was_found_stays_mended(file: Path) -> None:
    TARGETS[file.parent.name].try_input(file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_new_inputs_are_taken_or_refused(name: str) -> None:
    target = TARGETS[name]
    chance = random.Random(1)
    inputs = [file.read_bytes() for file in [*target.corpus(), *target.examples()]]
    words = [*target.tokens()]
    for _ in range(NEW.get(name, OTHERS)):
        data = mutated(chance.choice(inputs), inputs, words, chance)
        try:
            target.try_input(data)
        except Exception as error:
            raise AssertionError(f"{error!r} from {data!r}") from error


def test_the_corpus_is_small() -> None:
    files = [file for file in CORPUS.rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < 200_000
    assert {file.parent.name for file in files} == set(TARGETS)


def test_a_traceback_and_a_second_line_are_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise RuntimeError("the engine failed")

    with pytest.raises(Finding):
        one_line("two\nlines")
    monkeypatch.setattr("multihop.engine.resolve", failing)
    with pytest.raises(Finding, match="exit status 1"):
        TARGETS["scenario"].try_input(CORPUS.joinpath("scenario", "links.toml").read_bytes())
