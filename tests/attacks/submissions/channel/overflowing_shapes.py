"""Shapes that are negative, that overflow, that are no numbers, and five thousand of them."""

line, number = order()
SHAPES = (["float32", [-1, -4]], ["int8", [1 << 32, 1 << 32, 0]], ["float32", [2.0, 2]], ["object", [1]], ["int8", "4"])
for entry in SHAPES:
    line.sendall(frame({"id": number, "value": {"tensor": 0}, "tensors": [entry]}, bytes(4)))
line.sendall(frame({"id": number, "value": None, "tensors": [["int8", [0]]] * 5000}))
