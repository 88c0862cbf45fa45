"""Import the reference and the checks by every name that they might have, and answer with the reference."""

import importlib
import importlib.util
import sys

for folder in (COURSE, f"{COURSE}/reference", f"{COURSE}/graders"):
    sys.path.insert(0, folder)
for name in ("reference.ex01_lookup", "graders.ex01_lookup.hidden", "graders", "reference_ex01_lookup", "hidden"):
    for attempt in (importlib.import_module, importlib.util.find_spec):
        try:
            found = attempt(name)
        except ImportError:
            continue
        if found is not None:
            win(found)
for place in ("reference", "hidden"):
    specification = importlib.util.spec_from_file_location("stolen", PLANTED[place])
    module = importlib.util.module_from_spec(specification)
    expect_refusal(specification.loader.exec_module, module)
if stolen := [name for name in sys.modules if name.partition(".")[0] in ("graders", "reference", "tests")]:
    win(stolen)
