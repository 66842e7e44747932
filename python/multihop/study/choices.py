"""The table `[assumptions]` of a study file: a headline, and the choices that it may hang on."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from multihop import engine
from multihop.errors import StudyError


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Part(_Table):
    """Settings for some schemes."""

    set: dict[str, Any] = Field(min_length=1)
    schemes: list[str] | None = None
    """Names in `multihop list schemes`, or patterns such as `dcar*`; all where absent."""

    @model_validator(mode="after")
    def _schemes_are_known(self) -> Part:
        _check_schemes(self.schemes)
        return self

    def concerns(self, scheme: str | None) -> bool:
        """Whether it is laid over the scheme of that name."""
        if self.schemes is None:
            return True
        return scheme is not None and any(fnmatchcase(scheme, name) for name in self.schemes)


class Alternative(_Table):
    """One way to take a choice: one part, or several in `parts`; none leaves the study's own."""

    label: bool | int | float | str
    set: dict[str, Any] = {}
    schemes: list[str] | None = None
    parts: list[Part] = []

    @model_validator(mode="after")
    def _one_form(self) -> Alternative:
        if self.parts and (self.set or self.schemes is not None):
            raise ValueError("parts: stands in place of set and schemes")
        if self.schemes is not None and not self.set:
            raise ValueError("set: missing beside schemes")
        _check_schemes(self.schemes)
        return self

    @property
    def name(self) -> str:
        """Its label as people read it."""
        if isinstance(self.label, bool):
            return "on" if self.label else "off"
        return str(self.label)

    @property
    def all_parts(self) -> list[Part]:
        """Its parts, in either form."""
        if self.set:
            return [Part(set=self.set, schemes=self.schemes)]
        return self.parts


class OpenChoice(_Table):
    """Something that the paper leaves open."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    about: str = Field(min_length=3)
    """What is chosen, in words."""
    alternatives: list[Alternative] = Field(min_length=2, max_length=4)
    """The first is how the study takes it."""

    @model_validator(mode="after")
    def _alternatives_differ(self) -> OpenChoice:
        labels = [alternative.name for alternative in self.alternatives]
        if len({*labels}) < len(labels):
            raise ValueError("alternatives: labels must differ from each other")
        for number, alternative in enumerate(self.alternatives[1:], 1):
            if not alternative.all_parts:
                raise ValueError(f"alternatives.{number}: must set something")
        return self

    def keys(self, scheme: str | None) -> set[str]:
        """Key paths that any alternative sets for the scheme of that name."""
        return {
            key
            for alternative in self.alternatives
            for part in alternative.all_parts
            if part.concerns(scheme)
            for key in part.set
        }


class Stage(_Table):
    """The networks of one stage of the search."""

    networks: int = Field(ge=1, le=1_000_000)
    first_seed: int = Field(ge=0)

    def seeds(self, networks: int | None = None) -> range:
        """The seeds; `networks` of them where given."""
        return range(self.first_seed, self.first_seed + (networks or self.networks))


class Assumptions(_Table):
    """A headline, the ratio of two schemes' means, and the choices that it may hang on."""

    headline: str = Field(min_length=3)
    """What the ratio is of, in words, such as `DCAR over AODV from 6 hops`."""
    metric: str
    scheme: str
    over: str
    """Scheme whose mean the ratio divides by, on the same networks."""
    where: str | None = None
    """Condition on what is counted, such as `hops >= 6`."""
    line: float = Field(default=1.0, gt=0)
    holds: Literal["above", "below"] = "above"
    """On which side of the line the ratio lies where the headline holds."""
    keep: int = Field(default=4, ge=1, le=6)
    """How many choices are combined in full after the screening."""
    screening: Stage
    """Networks that settings are chosen on."""
    confirming: Stage
    """Networks that the chosen settings are confirmed on."""
    choices: list[OpenChoice] = Field(min_length=1)

    @property
    def levels(self) -> list[int]:
        """How many alternatives each choice has."""
        return [len(choice.alternatives) for choice in self.choices]

    def label(self, choice: int, level: int) -> str:
        """The name of an alternative, by the numbers of both."""
        return self.choices[choice].alternatives[level].name

    def told(self, row: Sequence[int]) -> str:
        """What a setting changes, such as `local-repair = on and window = 32`.

        Args:
            row: for each choice the number of its alternative.
        """
        changed = [(choice, level) for choice, level in enumerate(row) if level]
        parts = [f"{self.choices[c].name} = {self.label(c, level)}" for c, level in changed]
        return " and ".join(parts) or "as given"

    @model_validator(mode="after")
    def _networks_are_apart(self) -> Assumptions:
        self.seeds()
        names = [choice.name for choice in self.choices]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"choices: {name!r} appears twice")
        return self

    def seeds(self, networks: int | None = None) -> tuple[range, range]:
        """Seeds for choosing and for confirming; `networks` of each where given.

        Raises:
            ValueError: some network would serve both.
        """
        choosing, confirming = self.screening.seeds(networks), self.confirming.seeds(networks)
        if {*choosing} & {*confirming}:
            raise ValueError(
                f"confirming: networks {_told(confirming)} overlap those of screening, "
                f"{_told(choosing)}; a setting must be confirmed on networks it was not chosen on"
            )
        return choosing, confirming

    def fit(self, presets: Mapping[str, str | None]) -> None:
        """Refuse parts that concern neither scheme, and choices that set the same key.

        Args:
            presets: the named scheme behind each of the study's schemes.

        Raises:
            StudyError: naming the choice.
        """
        both = [presets[self.scheme], presets[self.over]]
        for number, choice in enumerate(self.choices):
            for place, alternative in enumerate(choice.alternatives):
                for part in alternative.all_parts:
                    if not any(part.concerns(scheme) for scheme in both):
                        where = f"assumptions.choices.{number}.alternatives.{place}"
                        listed = ", ".join(part.schemes or [])
                        fault = f"concerns {listed}, but neither {self.scheme} nor {self.over}"
                        raise StudyError.at(where, fault)
        for scheme in both:
            for ours, theirs in itertools.combinations(self.choices, 2):
                for key, other in itertools.product(ours.keys(scheme), theirs.keys(scheme)):
                    if f"{key}.".startswith(f"{other}.") or f"{other}.".startswith(f"{key}."):
                        fault = f"{ours.name} and {theirs.name} both set {key} for {scheme}"
                        raise StudyError.at("assumptions.choices", f"{fault}; make them one choice")


def _check_schemes(patterns: list[str] | None) -> None:
    for pattern in patterns or []:
        if not any(fnmatchcase(name, pattern) for name in engine.scheme_names()):
            near = difflib.get_close_matches(pattern, [*engine.scheme_names()], n=1)
            hint = f"did you mean {near[0]}?" if near else "see multihop list schemes"
            raise ValueError(f"schemes: no scheme is called {pattern!r}; {hint}")


def _told(seeds: range) -> str:
    return f"{seeds[0]:,} to {seeds[-1]:,}"
