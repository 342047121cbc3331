"""``python -m ringscope_agent``: run this machine as a node of a Ringscope cluster."""

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import Sequence
from typing import Any

from ringscope_agent.agent import Agent
from ringscope_agent.client import RejectedError, TokenRefusedError
from ringscope_agent.settings import AgentSettings, SettingsError, read_settings

EXIT_BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the agent until SIGTERM or Ctrl-C. Return 0 after a clean end, 2 if it cannot start."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        settings = read_settings(_read_flags(arguments))
        asyncio.run(_serve(settings))
    except SettingsError as error:
        return _refuse(str(error))
    except TokenRefusedError as error:
        return _refuse(str(error))
    except RejectedError as error:
        return _refuse(f"The server refused this agent: {error}")
    return 0


async def _serve(settings: AgentSettings) -> None:
    agent = Agent(settings)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, agent.stop)
    await agent.run()


def _refuse(sentence: str) -> int:
    sys.stderr.write(sentence + "\n")
    return EXIT_BAD_INPUT


def _read_flags(arguments: Sequence[str] | None) -> dict[str, Any]:
    parser = argparse.ArgumentParser(prog="ringscope agent", description=__doc__.split(": ", 1)[1])
    fields = AgentSettings.model_fields
    parser.add_argument("--server", help=fields["server"].description)
    parser.add_argument("--name", help=f"{fields['name'].description} Default: the host's name.")
    parser.add_argument("--slots", help=fields["slots"].description)
    parser.add_argument("--address", help=fields["address"].description)
    parser.add_argument("--link-speed", metavar="RATE", help=fields["link_speed"].description)
    parser.add_argument("--metrics-port", help=fields["metrics_port"].description)
    parser.add_argument("--gpu-metrics", action="store_true", default=None, help=fields["gpu_metrics"].description)
    parser.add_argument("--data-dir", help=fields["data_dir"].description)
    parser.add_argument("--token-file", help=fields["token_file"].description)
    parser.add_argument("--join-token", help=fields["join_token"].description)
    parser.add_argument("--join-token-file", help=fields["join_token_file"].description)
    parser.add_argument("--scripts", metavar="DIR", help=fields["scripts"].description)
    parser.add_argument("--allow-env", action="append", metavar="PATTERN", help=fields["allow_env"].description)
    parser.add_argument("--nccl-ras", metavar="HOST:PORT", help=fields["nccl_ras"].description)
    parser.add_argument("--keep-checkpoints-hours", help=fields["keep_checkpoints_hours"].description)
    parser.add_argument("--away-seconds", help=fields["away_seconds"].description)
    parser.add_argument("--leaves", action="store_true", default=None, help=fields["leaves"].description)
    parser.add_argument("--leaves-at", metavar="TIME", help=fields["leaves_at"].description)
    parser.add_argument("--label", action="append", metavar="KEY=VALUE", help=fields["labels"].description)
    flags = vars(parser.parse_args(arguments))
    labels = flags.pop("label")
    return flags | {"labels": _read_labels(labels) if labels else None}


def _read_labels(labels: list[str]) -> dict[str, str]:
    pairs = [label.partition("=") for label in labels]
    for key, equals, value in pairs:
        if not key or not equals:
            raise SettingsError(f"label: {key + equals + value!r} is no label; write it as KEY=VALUE.")
    return {key: value for key, _, value in pairs}


if __name__ == "__main__":
    sys.exit(main())
