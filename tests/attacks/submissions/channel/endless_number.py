"""A number with half a million digits, NaN, and bytes that are no text."""

line, number = order()
for value in (b"9" * 500_000, b"NaN", b"1e999", b'"\xff\xfe"'):
    line.sendall(frame(b'{"id": "' + number.encode() + b'", "value": ' + value + b', "tensors": []}'))
