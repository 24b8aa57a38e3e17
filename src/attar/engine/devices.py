"""Where torch may compute: the CPU, a CUDA card or Apple's Metal."""

from __future__ import annotations

from attar.errors import InputError

DEVICES = ("cpu", "cuda", "mps")


def known_device(device: str) -> str:
    """The device, if it is one that is known; "cuda:1" names a card.

    Raises
    ------
    InputError
        For any other.
    """
    kind, _, number = device.partition(":") if isinstance(device, str) else ("", "", "")
    if kind not in DEVICES or (number and not (kind == "cuda" and number.isdecimal())) or device.endswith(":"):
        raise InputError(f"device={device!r} is not known; allowed: cpu, cuda, cuda:1 ..., mps")
    return device


def check_device(device: str) -> None:
    """Refuses a device that torch does not find on this machine.

    Raises
    ------
    InputError
        With the devices that there are.
    """
    import torch

    kind, _, number = known_device(device).partition(":")
    there = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if int(number or 0) >= there[kind]:
        found = ", ".join(name for name, n in there.items() if n)
        raise InputError(f"device={device!r}: torch finds no such device on this machine; it finds {found}")
