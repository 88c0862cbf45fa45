"""Archives, read in memory and never unpacked: what is in them, as a place, and how little of it is believed."""
