"""Groups of options, which several commands share."""

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from ringscope.cli.option_groups import unfolded


@dataclass(frozen=True, kw_only=True)
class Fruit:
    name: Annotated[str | None, typer.Option(help="The fruit.")] = None
    count: Annotated[int, typer.Option("-n", "--count")] = 1


THREE = Fruit(count=3)


def shown(*arguments: str) -> str:
    app = typer.Typer()

    def pick(place: Annotated[str, typer.Argument()], fruit: Fruit = THREE, ripe: bool = False) -> None:
        typer.echo(f"{place} {fruit} {ripe}")

    app.command()(unfolded(pick))
    result = CliRunner().invoke(app, arguments)
    return result.output.strip()


def test_each_field_is_an_option_and_the_command_gets_the_group() -> None:
    assert shown("here", "--name", "fig", "-n", "2", "--ripe") == "here Fruit(name='fig', count=2) True"


def test_the_values_of_the_default_are_the_defaults_of_the_options() -> None:
    assert shown("here") == "here Fruit(name=None, count=3) False"
    assert "default: 3" in shown("--help")
