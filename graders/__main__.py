"""`python -m graders`: the same command line as the installed `grade`."""

from graders.engine.cli import main

if __name__ == "__main__":
    main()
