"""Student code in processes of its own: the judge's end of them here, their own end in `worker/`."""
