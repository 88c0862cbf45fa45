"""A course as an autograder of Gradescope: what packs it, and the two scripts that run there."""
