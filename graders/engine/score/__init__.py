"""From the outcomes of checks to one score card, by arithmetic that reads nothing and writes nothing."""
