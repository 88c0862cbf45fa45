"""Which row of a table stands where: turns wrong values into "rows 4, 3, 2 where rows 0, 1, 2 belong"."""

import torch

from graders.engine.judge.expect import Unexpected, expect_tensor
from graders.engine.judge.words import number

TOLERANCE = 1e-5
SHOWN_PLACES = 6


def expect_rows(got: object, table: torch.Tensor, rows: torch.Tensor, name: str, hint: str = "") -> None:
    """Expect that at every item and place stands the table's row that `rows` names.

    Shapes: `got` (batch, seq, width), `table` (size, width) with no two rows alike, `rows` (batch, seq).
    """
    values = expect_tensor(got, (*rows.shape, table.shape[1]), "the output", dtype=None).to(torch.float64)
    expected = table.to(torch.float64)[rows]
    wrong = ~((values - expected).abs() <= TOLERANCE * (1 + expected.abs())).all(dim=2)
    if not bool(wrong.any()):
        return
    item = int(wrong.any(dim=1).nonzero()[0])
    came = [_name_row(vector, table, name) for vector in values[item, :SHOWN_PLACES]]
    wanted = [f"{name}[{int(row)}]" for row in rows[item, :SHOWN_PLACES]]
    places = f"item {item}, places 0 to {len(wanted) - 1}"
    shown = f"{came[0]} at each of them" if len(set(came)) == 1 and len(came) > 1 else ", ".join(came)
    raise Unexpected(f"{places}: {', '.join(wanted)}", shown, hint)


def _name_row(vector: torch.Tensor, table: torch.Tensor, name: str) -> str:
    """Return "pos.weight[3]", "2.45 x pos.weight[3]", "zeros" or "no row"."""
    rows = table.to(torch.float64)
    if not bool(vector.any()):
        return "zeros"
    near = ((rows - vector).abs() <= TOLERANCE * (1 + rows.abs())).all(dim=1)
    if bool(near.any()):
        return f"{name}[{int(near.nonzero()[0])}]"
    # A multiple of a row: the factor that fits best leaves nothing over.
    factors = (rows @ vector) / (rows * rows).sum(dim=1)
    rest = (vector - factors[:, None] * rows).abs().amax(dim=1)
    multiple = rest <= 1e-4 * float(vector.abs().amax())
    if bool(multiple.any()):
        row = int(multiple.nonzero()[0])
        return f"{number(float(factors[row]))} x {name}[{row}]"
    return f"no row of {name}"
