"""Student code in a process of its own, and the line on which it is asked questions."""
