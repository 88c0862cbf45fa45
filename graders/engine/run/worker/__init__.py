"""What the host and its workers are made of. Student code runs beside all of this, so that nothing here decides."""
