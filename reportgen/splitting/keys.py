"""A stable random order: the same on every machine, whatever the order of the rows.

An id gets the first 64 bits of BLAKE2b of its UTF-8 text, keyed with the
seed's decimal digits (RFC 7693, doi:10.17487/RFC7693). Repeats and draws are
distinguished by SplitMix64 (Steele, Lea & Flood 2014,
doi:10.1145/2660193.2660195): ``mix(key + n · 0x9E3779B97F4A7C15)``, where all
arithmetic is modulo 2⁶⁴.
"""

from __future__ import annotations

from hashlib import blake2b

import polars as pl

GOLDEN = 0x9E3779B97F4A7C15
_STEPS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def hashed(texts: pl.Series, seed: int) -> pl.Series:
    """The 64-bit key of every text."""
    key = str(seed).encode()
    keys = [
        int.from_bytes(blake2b(text.encode(), digest_size=8, key=key).digest(), "little")
        for text in texts.to_list()
    ]
    return pl.Series("key", keys, dtype=pl.UInt64)


def mixed(key: pl.Expr, step: pl.Expr | int) -> pl.Expr:
    """The key of one step: a repeat, or a draw."""
    count = pl.lit(step, dtype=pl.UInt64) if isinstance(step, int) else step.cast(pl.UInt64)
    z = key + count * _constant(GOLDEN)
    for bits, factor in _STEPS:
        z = (z ^ (z // _constant(2**bits))) * _constant(factor)
    return z ^ (z // _constant(2**31))


def uniform(key: pl.Expr) -> pl.Expr:
    """A number in [0, 1) from the 53 highest bits of a key."""
    return (key // _constant(2**11)).cast(pl.Float64) / 2.0**53


def _constant(value: int) -> pl.Expr:
    return pl.lit(value, dtype=pl.UInt64)
