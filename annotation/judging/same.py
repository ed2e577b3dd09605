"""Which pseudonyms are one person's, who has come back on another server: their judgments are read under one name.

A pseudonym is made of server and account, so on a new server everybody would be somebody else, and count twice. What is
kept here are pseudonyms and salted digests of e-mail addresses, nobody's address. The judgments stay as they were
pulled; the names are joined when they are read, so that `annotate people --apart` can take it back.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import pyarrow as pa

from tashika.annotation.judging.columns import compute
from tashika.annotation.labelstudio.account import write_private_json
from tashika.core.errors import InputError
from tashika.core.files import read_json


@dataclass(frozen=True)
class Same:
    """Who is the same person.

    Attributes:
        names: A pseudonym by which somebody is known too, and the one that counts.
        addresses: The pseudonym that was first seen with an e-mail address, by the salted digest of the address.
        servers: The servers whose accounts are among `addresses`.
        apart: Pseudonyms that somebody said are nobody else's, whatever their addresses.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    addresses: Mapping[str, str] = field(default_factory=dict)
    servers: Collection[str] = ()
    apart: Collection[str] = ()

    def name(self, pseudonym: str) -> str:
        """What a person is called, whatever server the pseudonym is of."""
        return self.names.get(pseudonym, pseudonym)

    def all_names(self, pseudonym: str) -> set[str]:
        """All pseudonyms of the person who is called so."""
        name = self.name(pseudonym)
        return {name, *(other for other, known in self.names.items() if known == name)}

    def joined(self, first: str, second: str) -> Same:
        """With two pseudonyms that are one person's; the first one's name counts."""
        name, others = self.name(first), self.all_names(second)
        names = {**self.names, **dict.fromkeys(others, name)}
        names.pop(name, None)
        return replace(self, names=names, apart=sorted({*self.apart} - {first, second}))

    def parted(self, pseudonym: str) -> Same:
        """With a pseudonym that is nobody else's, also where the addresses say so."""
        others = self.all_names(pseudonym) - {pseudonym}
        names = {other: name for other, name in self.names.items() if other not in {*others, pseudonym}}
        if others:  # who is left stays one person
            name = self.name(pseudonym) if self.name(pseudonym) in others else min(others)
            names |= dict.fromkeys(others - {name}, name)
        return replace(self, names=names, apart=sorted({*self.apart, pseudonym}))

    def in_judgments(self, judgments: pa.Table) -> pa.Table:
        """Judgments with the name that counts in the column `annotator`."""
        if not self.names:
            return judgments
        place = judgments.schema.get_field_index("annotator")
        known = pa.array(self.names, pa.string())
        numbers = compute.index_in(judgments["annotator"], value_set=known)
        names = compute.take(pa.array(self.names.values(), pa.string()), numbers)
        column = compute.coalesce(names, judgments["annotator"])
        return judgments.set_column(place, judgments.schema.field(place), column)


def same_file(directory: Path) -> Path:
    """Where it lies, in the folder of the judgments' workspace."""
    return directory / "same-people.json"


def read_same(directory: Path) -> Same:
    """Who is known to be the same person; nobody where there is no file.

    Raises:
        InputError: The file is damaged.
    """
    path = same_file(directory)
    if not path.exists():
        return Same()
    try:
        content = read_json(path)
        names, addresses = (
            {str(key): str(value) for key, value in content[part].items()} for part in ("names", "addresses")
        )
        return Same(names, addresses, list(map(str, content["servers"])), list(map(str, content["apart"])))
    except (AttributeError, KeyError, TypeError) as error:
        hint = "Restore it; or delete it and pull: accounts with the same address are joined again."
        raise InputError("this is no list of people who are the same", where=str(path), hint=hint) from error


def write_same(directory: Path, same: Same) -> None:
    """Keeps who is the same person, where only this user can read it."""
    if same != read_same(directory):
        content = {**asdict(same), "servers": sorted(same.servers), "apart": sorted(same.apart)}
        write_private_json(same_file(directory), content)


def address_digest(email: str, salt: bytes) -> str:
    """What stands for an e-mail address: nobody can look it up without the workspace's salt."""
    return hmac.digest(salt, f"address {email.lower()}".encode(), "sha256").hex()[:32]
