"""Usage: validate.py SCHEMA FILE…: checks the schema itself, then TOML and JSON files against it, a line for each:
`FILE: valid`, or `FILE: ` and what is wrong."""

import datetime
import json
import sys
import tomllib

import jsonschema


def plain(value):
    """The same value as JSON has it: dates and times are texts."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value


with open(sys.argv[1]) as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for name in sys.argv[2:]:
    with open(name, "rb") as file:
        try:
            document = tomllib.load(file) if name.endswith(".toml") else json.load(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError):
            print(f"{name}: no TOML")
            continue
    error = jsonschema.exceptions.best_match(validator.iter_errors(plain(document)))
    print(f"{name}: " + ("valid" if error is None else error.message.replace("\n", " ")))
