"""A header of two hundred thousand brackets, in which a reader may lose its way."""

line, number = order()
line.sendall(
    frame(b'{"id": "' + number.encode() + b'", "value": ' + b"[" * 200_000 + b"]" * 200_000 + b', "tensors": []}')
)
