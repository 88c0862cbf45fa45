"""From how many students on a figure is shown: this module has every such number, and why it is that one."""

PERCENT = 10
"""Below ten, one student is more than ten points of a percentage; "3 of 7" says the same and hides nothing."""

QUARTILES = 10
"""Of fewer, the middle half is two or three people."""

DISTRIBUTION = 5
"""Four bars of one student each are a list of four scores, which is then what is shown."""

DISCRIMINATION = 20
"""With twenty, a correlation of 0.44 is the smallest that chance alone rarely (one time in twenty) makes."""

EACH_SIDE = 3
"""So many have to pass a check, and so many to fail it: with fewer, one student decides the correlation."""

TOP_THIRD = 15
"""A third of fewer is less than five students."""

USEFUL = 0.2
"""The customary bound from which an item tells stronger from weaker students."""

ERROR = 1.645
"""A check is flagged only where chance does not explain it: if its discrimination is below what is useful even with so
many standard errors (one over the root of the number of students) added, which nineteen times in twenty are enough."""

HALF = 0.5
"""A check that more than half of the strongest third fail is hard for those too who understood the rest."""

UNNAMED = 5
"""On a page that the class sees, nothing is told of a group smaller than this, nor of all but so few."""
