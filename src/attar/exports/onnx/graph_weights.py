"""Token weights in a graph: roles from places, weights from roles and ids, scaled to sum to 1."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from attar.exports.fitted_parts import FittedParts
from attar.exports.weight_table import weight_table
from attar.types import Role
from attar.weights import First, Last, Weighting


class TokenWeights(nn.Module):  # type: ignore[misc]
    """What `attar.pooling.scale_weights` makes of a weighting, its fallbacks too."""

    def __init__(self, source: FittedParts) -> None:
        super().__init__()
        frame = source.encoder.frame
        self.head_roles, self.tail_roles = _integers(frame.head_roles), _integers(frame.tail_roles)
        vocabulary = source.encoder.vocabulary
        skips = getattr(source.encoder, "skip_unknown", False) and vocabulary.unknown_id is not None
        self.left_out = vocabulary.unknown_id if skips else None
        self.weigh = _weighing(source.weights, source)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Shape: (N, T), (N, T) -> (N, T)"""
        present = mask.float()
        roles = self._roles(mask)
        own = present * (roles == int(Role.TEXT))
        raw = self.weigh(ids, roles, present)
        if self.left_out is not None:
            known = (ids != self.left_out).float()
            own, raw = own * known, raw * known
        lost = raw.sum(dim=1, keepdim=True) <= 0
        fallback = torch.where(own.sum(dim=1, keepdim=True) > 0, own, present)
        weights = torch.where(lost, fallback, raw)
        total = weights.sum(dim=1, keepdim=True)
        return weights / torch.where(total > 0, total, torch.ones_like(total))

    def _roles(self, mask: Tensor) -> Tensor:
        """Whose each token is, by its distance from either end. Shape: (N, T)"""
        places = torch.ones_like(mask).cumsum(dim=1) - 1
        roles = torch.full_like(places, int(Role.TEXT))
        n_head, n_tail = len(self.head_roles), len(self.tail_roles)
        if n_head:
            roles = torch.where(places < n_head, self.head_roles[places.clamp(max=n_head - 1)], roles)
        if n_tail:
            behind = places - (mask.sum(dim=1, keepdim=True) - n_tail)
            roles = torch.where(behind >= 0, self.tail_roles[behind.clamp(min=0, max=n_tail - 1)], roles)
        return roles


class _ByTable(nn.Module):  # type: ignore[misc]
    """Weights looked up by role and id, and where place matters by whether the token begins a word."""

    def __init__(self, weights: Weighting, source: FittedParts) -> None:
        super().__init__()
        table = weight_table(weights, source.encoder.vocabulary)
        self.n_tokens = table.starting.shape[1]
        self.by_place = table.by_place
        self.starting = nn.Buffer(torch.from_numpy(table.starting.reshape(-1)))
        if self.by_place:
            self.inside = nn.Buffer(torch.from_numpy(table.inside.reshape(-1)))
            self.ends_word = nn.Buffer(torch.from_numpy(table.ends_word))

    def forward(self, ids: Tensor, roles: Tensor, present: Tensor) -> Tensor:
        places = roles * self.n_tokens + ids
        weights = self.starting[places]
        if self.by_place:
            starts = (roles[:, 1:] != roles[:, :-1]) | self.ends_word[ids[:, :-1]]
            starts = torch.cat([torch.ones_like(ids[:, :1], dtype=torch.bool), starts], dim=1)
            weights = torch.where(starts, weights, self.inside[places])
        return weights * present


class _AtEnd(nn.Module):  # type: ignore[misc]
    """The first or the last token that counts."""

    def __init__(self, weights: First | Last) -> None:
        super().__init__()
        self.last = isinstance(weights, Last)
        self.specials = weights.specials

    def forward(self, ids: Tensor, roles: Tensor, present: Tensor) -> Tensor:
        counted = present if self.specials else present * (roles != int(Role.SPECIAL))
        seen = counted.cumsum(dim=1)
        wanted = seen[:, -1:] if self.last else torch.ones_like(seen[:, -1:])
        return counted * (seen == wanted)


def _weighing(weights: Weighting, source: FittedParts) -> nn.Module:
    return _AtEnd(weights) if isinstance(weights, (First, Last)) else _ByTable(weights, source)


def _integers(values: Sequence[int]) -> nn.Buffer:
    return nn.Buffer(torch.tensor(values, dtype=torch.int64))
