"""Rates of network cards, as the kernel's files have them."""

from pathlib import Path

from ringscope.rank.check.cards import card_rates


def card(classes: Path, name: str, speed: str, state: str = "up") -> None:
    folder = classes / "net" / name
    (folder / "device").mkdir(parents=True)
    (folder / "speed").write_text(speed)
    (folder / "operstate").write_text(state)


def port(classes: Path, device: str, rate: str, state: str) -> None:
    folder = classes / "infiniband" / device / "ports" / "1"
    folder.mkdir(parents=True)
    (folder / "rate").write_text(rate)
    (folder / "state").write_text(state)


def test_cards_have_the_rate_of_their_link_and_virtual_ones_none(tmp_path: Path) -> None:
    card(tmp_path, "eth0", "25000\n")
    card(tmp_path, "eth1", "-1\n", "down")
    card(tmp_path, "virtio", "-1\n")
    (tmp_path / "net" / "lo").mkdir()
    port(tmp_path, "mlx5_0", "400 Gb/sec (4X NDR)\n", "4: ACTIVE\n")
    port(tmp_path, "mlx5_1", "10 Gb/sec (4X SDR)\n", "1: DOWN\n")
    assert card_rates(tmp_path) == {"eth0": 25.0, "eth1": 0.0, "mlx5_0:1": 400.0, "mlx5_1:1": 0.0}
