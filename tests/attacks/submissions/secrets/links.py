"""Make links to the secrets where reading is allowed, and open those."""

import os

for place, path in PLANTED.items():
    for folder in (os.path.dirname(os.__file__), *FOLDERS):
        link = os.path.join(folder, f"{MARK}-{place}")
        for make in (os.symlink, os.link, os.rename):
            expect_refusal(make, path, link)
