"""`python -m graders`: the same command line as the installed `grade`."""

import sys

if __name__ == "__main__":
    try:
        from graders.engine.cli.app import main
    except ModuleNotFoundError as error:
        sys.exit(
            f"{error}. Run `make grade` once: it installs all that is needed into .venv; then use .venv/bin/grade."
        )
    main()
