"""The packages of the wheel: the rooms at the top of this repository, installed under one name.

Everything else stands in pyproject.toml. A list there would have to name every folder of every suite.
"""

from setuptools import find_packages, setup

ROOMS = ("core", "builders", "annotation", "exports", "evaluate", "configs", "data")

setup(
    packages=[
        package
        for room in ROOMS
        for package in (f"tashika.{room}", *(f"tashika.{room}.{inner}" for inner in find_packages(room)))
    ],
    package_dir={f"tashika.{room}": room for room in ROOMS},
)
