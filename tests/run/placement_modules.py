"""Small modules for the placement tests: faults that a GPU would show, and right ones that it would not.

A fault says which finding it must give in its row of `FAULTY`, and which line with a comment `# here`.
"""

import inspect
import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

VOCAB, WIDTH, LONGEST, BATCH, LENGTH = 11, 8, 16, 3, 5


def ids() -> Tensor:
    """Token ids, (batch, length)."""
    return torch.randint(VOCAB, (BATCH, LENGTH), generator=torch.Generator().manual_seed(1))


def vectors() -> Tensor:
    """Vectors, (batch, length, width)."""
    return torch.randn(BATCH, LENGTH, WIDTH, generator=torch.Generator().manual_seed(2))


def images() -> Tensor:
    """Images, (batch, 3, 8, 8)."""
    return torch.randn(BATCH, 3, 8, 8, generator=torch.Generator().manual_seed(3))


def sines(length: int, width: int = WIDTH) -> Tensor:
    positions = torch.arange(length).unsqueeze(1)
    frequencies = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(positions * frequencies)
    table[:, 1::2] = torch.cos(positions * frequencies)
    return table


class Tables(nn.Module):
    """What most of the modules share: a token and a position table."""

    def __init__(self) -> None:
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH)
        self.pos = nn.Embedding(LONGEST, WIDTH)
        self.drop = nn.Dropout(0.1)


# Faults


class ArangeWithoutDevice(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(token_ids.size(1))
        return self.tok(token_ids) + self.pos(positions)  # here


class PlainAttribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pe = sines(LONGEST)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[: x.size(1)]  # here


class CudaInConstructor(Tables):
    def __init__(self) -> None:
        super().__init__()
        self.tok = self.tok.cuda()  # here

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids)


class CudaInForward(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(token_ids.size(1)).cuda()  # here
        return self.tok(token_ids) + self.pos(positions)


class CudaByName(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(token_ids.size(1), device="cuda:0")  # here
        return self.tok(token_ids) + self.pos(positions)


class CudaIfAvailable(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        device = "cuda" if torch.cuda.is_available() else "cpu"
        positions = torch.arange(token_ids.size(1), device=device)
        return self.tok(token_ids) + self.pos(positions)  # here


class ResultToCpu(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(token_ids.size(1), device=token_ids.device)
        total = self.tok(token_ids) + self.pos(positions)
        return total.to("cpu")  # here


class ListOfModules(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tables = [nn.Embedding(VOCAB, WIDTH), nn.Embedding(LONGEST, WIDTH)]

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tables[0](token_ids)  # here


class DictOfParameters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tables = {"pos": nn.Parameter(torch.randn(LONGEST, WIDTH))}

    def forward(self, x: Tensor) -> Tensor:
        return x + self.tables["pos"][: x.size(1)]  # here


class TableInForward(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        table = sines(x.size(1))
        return x + table  # here


class FirstCallCache(Tables):
    cache: Tensor | None = None

    def forward(self, token_ids: Tensor) -> Tensor:
        if self.cache is None:
            self.cache = torch.arange(token_ids.size(1), device=token_ids.device)
        return self.tok(token_ids) + self.pos(self.cache)  # here


class CacheOfEvaluation(Tables):
    cache: Tensor | None = None

    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(token_ids.size(1), device=token_ids.device)
        if not self.training:
            if self.cache is None:
                self.cache = positions
            positions = self.cache
        return self.tok(token_ids) + self.pos(positions)  # here


class RemembersDevice(Tables):
    def __init__(self) -> None:
        super().__init__()
        self.device = self.tok.weight.device

    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(token_ids.size(1), device=self.device)
        return self.tok(token_ids) + self.pos(positions)  # here


class SegmentZeros(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH)
        self.seg = nn.Embedding(2, WIDTH)

    def forward(self, token_ids: Tensor, segments: Tensor | None = None) -> Tensor:
        if segments is None:
            segments = torch.zeros(token_ids.shape, dtype=torch.long)
        return self.tok(token_ids) + self.seg(segments)  # here


class ScaledParameter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pos = nn.Parameter(torch.randn(LONGEST, WIDTH)) * 0.02

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pos[: x.size(1)]  # here


class ProductOfParameters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(LONGEST, WIDTH))
        self.gain = nn.Parameter(torch.ones(WIDTH))
        self.scaled = self.table * self.gain

    def forward(self, x: Tensor) -> Tensor:
        return x + self.scaled[: x.size(1)]  # here


class ViewOfParameter(Tables):
    def __init__(self) -> None:
        super().__init__()
        self.first = self.pos.weight[:LENGTH]

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids) + self.first  # here


class NumpyArange(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.from_numpy(np.arange(token_ids.size(1)))
        return self.tok(token_ids) + self.pos(positions)  # here


class NumpyOfIds(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        if np.asarray(token_ids).max() >= VOCAB:  # here
            raise ValueError
        return self.tok(token_ids)


class ClassLevelTable(nn.Module):
    table = sines(LONGEST)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.table[: x.size(1)]  # here


class IdsToCpu(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids.cpu())  # here


class TensorOfList(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.tensor(list(range(token_ids.size(1))))
        return self.tok(token_ids) + self.pos(positions)  # here


class ZerosClassToken(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, WIDTH, 4, stride=4)

    def forward(self, image: Tensor) -> Tensor:
        patches = self.conv(image).flatten(2).transpose(1, 2)
        first = torch.zeros(image.size(0), 1, WIDTH)
        return torch.cat([first, patches], dim=1)  # here


class OriginalOfBuffer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = sines(LONGEST)
        self.register_buffer("pe", self.table)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.table[: x.size(1)]  # here


class ExtendedBuffer(nn.Module):
    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("pe", sines(2))

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.pe.size(0):
            self.pe = sines(x.size(1))
        return x + self.pe[: x.size(1)]  # here


class ConvolutionInList(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [nn.Conv2d(3, WIDTH, 4, stride=4)]

    def forward(self, image: Tensor) -> Tensor:
        return self.layers[0](image)  # here


class PlainMask(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        mask = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
        scores = x @ x.transpose(1, 2)
        return scores.masked_fill(~mask, 0.0)  # here


class SumsIntoNumber(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        total = torch.tensor(0.0)
        total += x.sum()  # here
        return total


class NumberAsIndex(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids) + self.pos(torch.tensor(2))  # here


class IndexedCpuTable(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = torch.randn(VOCAB, WIDTH)

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.table[token_ids]  # here


class CpuValues(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x = x.clone()
        x[:, torch.tensor([0, 1])] = torch.zeros(2, WIDTH)  # here
        return x


class CpuGenerator(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        generator = torch.Generator().manual_seed(0)
        return x + torch.randn(x.shape, device=x.device, generator=generator)  # here


class LegacyCpuType(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids.type(torch.LongTensor))  # here


class NestedOutputOnCpu(nn.Module):
    def forward(self, x: Tensor) -> dict[str, Any]:
        return {"hidden": x * 2, "rest": (None, [x.cpu()])}  # here


class TableOnly(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pe = sines(LONGEST)

    def forward(self, x: Tensor) -> Tensor:
        return self.pe[: x.size(1)]  # here


class _CpuGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return 2 * torch.ones(gradient.shape)


class GradientOnCpu(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        return _CpuGradient.apply(self.tok(token_ids))


class HookWithCpuMask(Tables):
    def __init__(self) -> None:
        super().__init__()
        mask = torch.ones(VOCAB, 1)
        self.tok.weight.register_hook(lambda gradient: gradient * mask)  # here

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids)


class RefusesSilently(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        if str(token_ids.device) != "cpu":
            raise KeyError  # here
        return self.tok(token_ids)


class RefusesByAssertion(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        home = token_ids.is_cpu
        assert home  # here
        return self.tok(token_ids)


class RefusesInBackward(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        out = self.tok(token_ids)
        if out.requires_grad:
            out.register_hook(self.refuse)
        return out

    @staticmethod
    def refuse(gradient: Tensor) -> None:
        if not gradient.is_cpu:
            raise ValueError("no")  # here


@dataclass(frozen=True)
class Fault:
    """A faulty module, how it is called, and what must be found."""

    module: type[nn.Module]
    inputs: Callable[[], Tensor]
    kind: str = "mismatch"
    operator: str = ""

    @property
    def line(self) -> int | None:
        lines, first = inspect.getsourcelines(self.module)
        return next((first + i for i, text in enumerate(lines) if text.endswith("# here\n")), None)


FAULTY = [
    Fault(ArangeWithoutDevice, ids, operator="embedding"),
    Fault(PlainAttribute, vectors, operator="add"),
    Fault(CudaInConstructor, ids, "cuda_hardcoded"),
    Fault(CudaInForward, ids, "cuda_hardcoded"),
    Fault(CudaByName, ids, "cuda_hardcoded"),
    Fault(CudaIfAvailable, ids, operator="embedding"),
    Fault(ResultToCpu, ids, "wrong_output_device"),
    Fault(ListOfModules, ids, operator="embedding"),
    Fault(DictOfParameters, vectors, operator="add"),
    Fault(TableInForward, vectors, operator="add"),
    Fault(FirstCallCache, ids, operator="embedding"),
    Fault(CacheOfEvaluation, ids, operator="embedding"),
    Fault(RemembersDevice, ids, operator="embedding"),
    Fault(SegmentZeros, ids, operator="embedding"),
    Fault(ScaledParameter, vectors, operator="add"),
    Fault(ProductOfParameters, vectors, operator="add"),
    Fault(ViewOfParameter, ids, operator="add"),
    Fault(NumpyArange, ids, operator="embedding"),
    Fault(NumpyOfIds, ids, operator="numpy"),
    Fault(ClassLevelTable, vectors, operator="add"),
    Fault(IdsToCpu, ids, operator="embedding"),
    Fault(TensorOfList, ids, operator="embedding"),
    Fault(ZerosClassToken, images, operator="cat"),
    Fault(OriginalOfBuffer, vectors, operator="add"),
    Fault(ExtendedBuffer, vectors, operator="add"),
    Fault(ConvolutionInList, images, operator="convolution"),
    Fault(PlainMask, vectors, operator="masked_fill"),
    Fault(SumsIntoNumber, vectors, operator="add"),
    Fault(NumberAsIndex, ids, operator="embedding"),
    Fault(IndexedCpuTable, ids, operator="indexing"),
    Fault(CpuValues, vectors, operator="indexing"),
    Fault(CpuGenerator, vectors, operator="randn"),
    Fault(LegacyCpuType, ids, operator="embedding"),
    Fault(NestedOutputOnCpu, vectors, "wrong_output_device"),
    Fault(TableOnly, vectors, "wrong_output_device"),
    Fault(GradientOnCpu, ids, operator="embedding"),
    Fault(HookWithCpuMask, ids, operator="mul"),
    Fault(RefusesSilently, ids, "refused"),
    Fault(RefusesByAssertion, ids, "refused"),
    Fault(RefusesInBackward, ids, "refused"),
]


# Right modules


class ArangeOnDevice(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        assert token_ids.size(1) <= LONGEST
        positions = torch.arange(token_ids.size(1), device=token_ids.device)
        return self.drop(self.tok(token_ids) + self.pos(positions))


class SineBuffer(nn.Module):
    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("pe", sines(LONGEST).unsqueeze(0))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[:, : x.size(1)].requires_grad_(False)


class SineBufferNotKept(nn.Module):
    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("pe", sines(LONGEST), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[: x.size(1)].clone().detach()


class SineBufferClass(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pe = nn.Buffer(sines(LONGEST))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe.index_select(0, torch.arange(x.size(1), device=x.device))


class PlainTableMoved(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pe = sines(LONGEST)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[: x.size(1)].to(x.device)


class FrequenciesInBuffer(nn.Module):
    frequencies: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("frequencies", 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        positions = torch.arange(x.size(1), device=x.device, dtype=torch.float32)
        angles = torch.einsum("i,j->ij", positions, self.frequencies)
        return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class GrowsOnDevice(nn.Module):
    pe: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("pe", sines(2))

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.pe.size(0):
            self.pe = sines(x.size(1)).to(self.pe)
        return x + self.pe[: x.size(1)]


class PositionsInBuffer(Tables):
    position_ids: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("position_ids", torch.arange(LONGEST).expand(1, -1), persistent=False)

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids) + self.pos(self.position_ids[:, : token_ids.size(1)])


class TablesInModuleDict(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleDict({"tok": nn.Embedding(VOCAB, WIDTH), "pos": nn.Embedding(LONGEST, WIDTH)})

    @property
    def tok(self) -> nn.Module:
        return self.tables["tok"]

    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(0, token_ids.size(1), dtype=torch.long, device=token_ids.device).unsqueeze(0)
        return self.tok(token_ids) + self.tables["pos"](positions)


class SliceOfWeight(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids) + self.pos.weight[: token_ids.size(1)]


class ParameterTable(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pos = nn.Parameter(torch.randn(LONGEST, WIDTH) * WIDTH**-0.5)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pos[: x.size(1)]


class FunctionalEmbedding(nn.Embedding):
    def __init__(self) -> None:
        super().__init__(LONGEST, WIDTH)

    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.ones_like(token_ids).cumsum(1) - 1
        return F.embedding(positions, self.weight)


class ParameterAlsoInList(Tables):
    """The list holds the registered parameters themselves, and `.to` moves those in place."""

    def __init__(self) -> None:
        super().__init__()
        self.both = [self.tok.weight, self.pos.weight]

    def forward(self, token_ids: Tensor) -> Tensor:
        return F.embedding(token_ids, self.both[0]) + self.both[1][: token_ids.size(1)]


class TiedTables(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)
        self.head.weight = self.tok.weight
        self.kept = [self.head.weight]

    def forward(self, token_ids: Tensor) -> Tensor:
        assert self.kept[0] is self.tok.weight is self.head.weight
        return self.head(self.tok(token_ids))


class OverridesTo(nn.Module):
    """The plain attribute is moved by hand whenever the module is."""

    def __init__(self) -> None:
        super().__init__()
        self.pe = sines(LONGEST)

    def to(self, *args: Any, **kwargs: Any) -> "OverridesTo":
        self.pe = self.pe.to(*args, **kwargs)
        return super().to(*args, **kwargs)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[: x.size(1)]


class OverridesApply(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pe = sines(LONGEST)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "OverridesApply":
        self.pe = fn(self.pe)
        return super()._apply(fn, recurse)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[: x.size(1)]


class CudaWhereTheInputIs(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        positions = torch.arange(token_ids.size(1))
        if token_ids.is_cuda:
            positions = positions.cuda()
        return self.tok(token_ids) + self.pos(positions)


class DeviceByItsType(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        device = "cuda" if token_ids.device.type == "cuda" else "cpu"
        with torch.autocast(device_type=token_ids.device.type, enabled=False):
            return self.tok(token_ids) + self.pos(torch.arange(token_ids.size(1)).to(device))


class BertSum(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH, padding_idx=0)
        self.pos = nn.Embedding(LONGEST, WIDTH)
        self.seg = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.drop = nn.Dropout(0.1)

    def forward(self, token_ids: Tensor, segments: Tensor | None = None) -> Tensor:
        if segments is None:
            segments = torch.zeros_like(token_ids)
        total = self.tok(token_ids)
        total += self.pos(torch.arange(token_ids.size(1), device=token_ids.device))
        total += self.seg(segments)
        return self.drop(self.norm(total))


class PatchesByConvolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, WIDTH, 4, stride=4)
        self.first = nn.Parameter(torch.zeros(1, 1, WIDTH))
        self.pos = nn.Parameter(torch.randn(1, 5, WIDTH))

    def forward(self, image: Tensor) -> Tensor:
        if tuple(image.shape[-2:]) != (8, 8):
            raise ValueError(image.shape)
        patches = self.conv(image).flatten(2).transpose(1, 2)
        return torch.cat([self.first.expand(len(image), -1, -1), patches], dim=1) + self.pos


class PatchesByUnfold(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3 * 4 * 4, WIDTH)

    def forward(self, image: Tensor) -> Tensor:
        return self.lin(F.unfold(image, 4, stride=4).transpose(1, 2))


class PatchesByReshape(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lin = nn.Linear(3 * 4 * 4, WIDTH)

    def forward(self, image: Tensor) -> Tensor:
        batch = image.size(0)
        patches = image.reshape(batch, 3, 2, 4, 2, 4).permute(0, 2, 4, 1, 3, 5).contiguous()
        return self.lin(patches.view(batch, 4, -1))


class RotaryByHalves(nn.Module):
    """Tables are cached as plain tensors, and made anew for another device."""

    cosine: Tensor | None = None
    sine: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.cosine is None or self.sine is None or self.cosine.device != x.device:
            frequencies = 10000.0 ** (-torch.arange(0, WIDTH, 2, device=x.device) / WIDTH)
            angles = torch.outer(torch.arange(LONGEST, device=x.device), frequencies).repeat(1, 2)
            self.cosine, self.sine = angles.cos(), angles.sin()
        left, right = x.chunk(2, dim=-1)
        length = x.size(1)
        return x * self.cosine[:length] + torch.cat([-right, left], dim=-1) * self.sine[:length]


class RotaryComplex(nn.Module):
    turns: Tensor

    def __init__(self) -> None:
        super().__init__()
        angles = torch.outer(torch.arange(LONGEST).float(), 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH))
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles))

    def forward(self, x: Tensor) -> Tensor:
        pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.turns[: x.size(1)].conj()).flatten(2)


class AlibiBias(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.heads = 4

    def forward(self, x: Tensor) -> Tensor:
        slopes = torch.tensor([2.0 ** (-2 * (h + 1)) for h in range(self.heads)], device=x.device)
        places = torch.arange(x.size(1), device=x.device)
        bias = -slopes[:, None, None] * (places[None, :] - places[:, None]).abs()
        heads = x.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return F.scaled_dot_product_attention(heads, heads, heads, attn_mask=bias.to(x.dtype))


class Interpolated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pos = nn.Parameter(torch.randn(1, 1 + 16, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        grid = self.pos[:, 1:].reshape(1, 4, 4, WIDTH).permute(0, 3, 1, 2)
        resized = F.interpolate(grid, size=(2, 2), mode="bicubic", antialias=True, align_corners=False)
        return x + torch.cat([self.pos[:, :1], resized.flatten(2).transpose(1, 2)], dim=1)


class OrderClassifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH)
        self.pos = nn.Embedding(LONGEST, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 2, 16, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.head = nn.Linear(WIDTH, 2)

    def forward(self, token_ids: Tensor) -> Tensor:
        x = self.tok(token_ids) + self.pos(torch.arange(token_ids.size(1), device=token_ids.device))
        return self.head(self.encoder(x).mean(dim=1))


class Checkpointed(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        def total(token_ids: Tensor) -> Tensor:
            return self.tok(token_ids) + self.pos(torch.arange(token_ids.size(1), device=token_ids.device))

        return checkpoint(total, token_ids, use_reentrant=False)


class SparseTables(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.tok = nn.Embedding(VOCAB, WIDTH, sparse=True)

    def forward(self, token_ids: Tensor) -> Tensor:
        return self.tok(token_ids) + self.tok(token_ids.flip(1))


class KeepsLastOutput(Tables):
    last: Tensor | None = None

    def forward(self, token_ids: Tensor) -> Tensor:
        self.last = self.tok(token_ids) * 2
        return self.last


class OutputWithNumber(Tables):
    """A loss on the CPU beside an output on the accelerator is legal: it is but a number."""

    def forward(self, token_ids: Tensor) -> tuple[Tensor, Tensor]:
        return self.tok(token_ids), torch.tensor(0.0)


class Normalised(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x.transpose(1, 2)).transpose(1, 2)


class Packed(Tables):
    def forward(self, token_ids: Tensor) -> Tensor:
        lengths = torch.tensor([5, 4, 2])  # PyTorch wants these on the CPU
        packed = nn.utils.rnn.pack_padded_sequence(self.tok(token_ids), lengths, batch_first=True)
        return nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)[0]


RIGHT: list[tuple[type[nn.Module], Callable[[], Tensor]]] = [
    (ArangeOnDevice, ids),
    (SineBuffer, vectors),
    (SineBufferNotKept, vectors),
    (SineBufferClass, vectors),
    (PlainTableMoved, vectors),
    (FrequenciesInBuffer, vectors),
    (GrowsOnDevice, vectors),
    (PositionsInBuffer, ids),
    (TablesInModuleDict, ids),
    (SliceOfWeight, ids),
    (ParameterTable, vectors),
    (FunctionalEmbedding, ids),
    (ParameterAlsoInList, ids),
    (TiedTables, ids),
    (OverridesTo, vectors),
    (OverridesApply, vectors),
    (CudaWhereTheInputIs, ids),
    (DeviceByItsType, ids),
    (BertSum, ids),
    (PatchesByConvolution, images),
    (PatchesByUnfold, images),
    (PatchesByReshape, images),
    (RotaryByHalves, vectors),
    (RotaryComplex, vectors),
    (AlibiBias, vectors),
    (Interpolated, vectors),
    (OrderClassifier, ids),
    (Checkpointed, ids),
    (SparseTables, ids),
    (KeepsLastOutput, ids),
    (OutputWithNumber, ids),
    (Normalised, vectors),
    (Packed, ids),
]


# Legal ways to write one step


class Step(nn.Module):
    """A linear layer, and one step of the table below."""

    def __init__(self, step: Callable[["Step", Tensor, Tensor], Any]) -> None:
        super().__init__()
        self.step = step
        self.lin = nn.Linear(WIDTH, WIDTH)
        self.attention = nn.MultiheadAttention(WIDTH, 2, batch_first=True)
        self.register_buffer("table", sines(LONGEST))

    def forward(self, x: Tensor, token_ids: Tensor) -> Any:
        return self.step(self, self.lin(x), token_ids)


def _in_device_context(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    with torch.device(token_ids.device):
        return x + torch.arange(x.size(1)).view(1, -1, 1) + torch.tensor([1.0] * WIDTH)


def _reads_values(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    assert token_ids.min() >= 0
    assert token_ids.max().item() < VOCAB
    assert bool((token_ids >= 0).all())
    assert len(token_ids.tolist()) == len(token_ids) == BATCH
    return x * float(token_ids[0, 0] + 1) * int(token_ids.sum())


def _writes_in_place(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    out = torch.empty_like(x)
    out[:, :, 0::2] = x[:, :, 1::2]
    out[:, :, 1::2] = 1.0
    out[:, 0] += 2
    out.mul_(3).clamp_(-5, 5)
    return out


def _writes_at_list(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    x = x.clone()
    x[:, [0, 2]] = 1.0
    x[[0]] += 2
    return x


def _changes_sizes_in_place(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    places = torch.arange(x.size(1), device=x.device).float()
    places.unsqueeze_(0).unsqueeze_(2)
    return x + places.squeeze_(0)


def _fills_data(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    bias = nn.Parameter(torch.ones(WIDTH, device=x.device))
    bias.data.mul_(2)
    bias.data[0] = 7
    return x + bias


def _writes_to_out(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    out = torch.empty(x.shape, device=x.device)
    torch.add(x.detach(), 1.0, out=out)
    return x + out


def _prints(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    text = f"{x.sum().detach():.3f} {token_ids} {x!r}"
    assert "on cuda" in text or "on cuda" not in text
    return x


def _scatters(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    counts = torch.zeros(len(x), VOCAB, device=x.device)
    counts.scatter_add_(1, token_ids, torch.ones_like(token_ids, dtype=counts.dtype))
    return x.sum(-1) + counts[:, :LENGTH]


def _moves_there_and_back(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    return (x.cpu() * torch.ones(WIDTH)).to(x.device)


def _new_layers(module: Step, x: Tensor, token_ids: Tensor) -> Tensor:
    layer = nn.Linear(WIDTH, WIDTH, device=x.device)
    nn.init.ones_(layer.weight)
    nn.init.zeros_(layer.bias)
    late = nn.LayerNorm(WIDTH).to(x.device)
    return late(layer(x))


STEPS: dict[str, Callable[[Step, Tensor, Tensor], Any]] = {
    "tensor_of_list": lambda m, x, t: x + torch.tensor([[1.0] * WIDTH], device=x.device),
    "tensor_of_tensor": lambda m, x, t: x + torch.tensor(t[0, 0]),
    "new_tensor": lambda m, x, t: x + x.new_tensor([2] * WIDTH),
    "new_tensor_of_dtype": lambda m, x, t: x + t.new_tensor([2] * WIDTH, dtype=torch.float32, device=t.device),
    "new": lambda m, x, t: x + x.new([2.0] * WIDTH),
    "new_ones_zeros_full": lambda m, x, t: x * x.new_ones(WIDTH) + x.new_zeros(WIDTH) + x.new_full((WIDTH,), 2.0),
    "as_tensor": lambda m, x, t: x + torch.as_tensor([1.0] * WIDTH, device=x.device),
    "as_tensor_of_numpy": lambda m, x, t: x + torch.as_tensor(np.ones(WIDTH, dtype="float32"), device=x.device),
    "as_tensor_of_tensor": lambda m, x, t: torch.as_tensor(x, device=x.device) + torch.as_tensor(t[:, :, None]),
    "asarray": lambda m, x, t: x + torch.asarray([3.0] * WIDTH, device=x.device),
    "from_numpy_moved": lambda m, x, t: x + torch.from_numpy(np.ones(WIDTH, dtype="float32")).to(x),
    "float_tensor_moved": lambda m, x, t: x + torch.FloatTensor([1.0] * WIDTH).to(x.device, non_blocking=True),
    "device_context": _in_device_context,
    "arange_like": lambda m, x, t: x + torch.ones_like(t).cumsum(1).unsqueeze(-1) + torch.zeros_like(x),
    "arange_of_device_text": lambda m, x, t: x + torch.arange(WIDTH, device=str(x.device)),
    "arange_of_other_device": lambda m, x, t: x + torch.arange(WIDTH).to(t),
    "arange_type_as": lambda m, x, t: x + torch.arange(WIDTH).type_as(x),
    "linspace_and_eye": lambda m, x, t: x @ torch.eye(WIDTH, device=x.device) + torch.linspace(0, 1, WIDTH).to(x),
    "cpu_scalar": lambda m, x, t: x * torch.tensor(2.0) + torch.sqrt(torch.tensor(float(WIDTH))),
    "where_with_scalar": lambda m, x, t: torch.where(t.unsqueeze(-1) > 3, x, torch.tensor(0.0)),
    "where_with_number": lambda m, x, t: torch.where(x > 0, x, 0.0),
    "masked_fill": lambda m, x, t: x.masked_fill((t == 0).unsqueeze(-1), float("-1")),
    "masked_fill_of_tensor": lambda m, x, t: x.masked_fill((t == 0).unsqueeze(-1), torch.tensor(-1.0)),
    "boolean_index": lambda m, x, t: x[t > 2],
    "cpu_index": lambda m, x, t: x + m.table[torch.arange(x.size(1))],
    "cpu_index_written": lambda m, x, t: x.index_put((torch.tensor([0, 1]),), torch.tensor(0.0)),
    "list_index": lambda m, x, t: x[:, [0, 2, 1]] + x[[0, 1, 2], :3] + x[:, [True, False, True, False, True]],
    "numpy_index": lambda m, x, t: x[np.array([1, 0, 2])] + m.table[np.arange(5)],
    "list_index_written": _writes_at_list,
    "device_index": lambda m, x, t: m.table[t] + x,
    "gather": lambda m, x, t: x.gather(1, (t % LENGTH).unsqueeze(-1).expand_as(x)),
    "index_select": lambda m, x, t: m.table.index_select(0, t.flatten()).view_as(x) + x,
    "take_along_dim": lambda m, x, t: torch.take_along_dim(x, t.unsqueeze(-1) % LENGTH, dim=1),
    "scatter": _scatters,
    "einsum": lambda m, x, t: torch.einsum("bld,md->blm", x, m.table),
    "matmul_and_baddbmm": lambda m, x, t: torch.baddbmm(x @ x.mT, x, x.mT),
    "one_hot": lambda m, x, t: F.one_hot(t, LONGEST).float() @ m.table + x,
    "cumsum_positions": lambda m, x, t: m.table[(t != 0).long().cumsum(1)] + x,
    "in_place": _writes_in_place,
    "sizes_in_place": _changes_sizes_in_place,
    "data": _fills_data,
    "out_argument": _writes_to_out,
    "views": lambda m, x, t: x.view(BATCH, -1).unflatten(1, (LENGTH, WIDTH)).permute(0, 2, 1).contiguous().mT,
    "as_strided_and_narrow": lambda m, x, t: x.as_strided((2, 2), (1, 3)) + x[0].narrow(0, 1, 2).narrow(1, 0, 2),
    "split_chunk_unbind": lambda m, x, t: x.split(4, -1)[0] + x.chunk(2, -1)[1] + torch.stack(x[..., :4].unbind(1), 1),
    "stack_and_cat": lambda m, x, t: torch.cat([torch.stack([x, x], 1).sum(1), x], dim=-1),
    "sort_topk_max": lambda m, x, t: x.sort(-1).values + x.topk(WIDTH, -1)[0] + x.max(-1, keepdim=True).values,
    "argsort_and_unique": lambda m, x, t: x[:, : len(t.unique())] + x.argsort(-1)[:, : len(t.unique())],
    "layer_norm": lambda m, x, t: F.layer_norm(x, (WIDTH,), eps=1e-12),
    "group_norm": lambda m, x, t: F.group_norm(x.transpose(1, 2), 2),
    "softmax_gelu": lambda m, x, t: F.gelu(x.softmax(-1)).log_softmax(-1),
    "attention": lambda m, x, t: m.attention(x, x, x, need_weights=False)[0],
    "attention_with_weights": lambda m, x, t: m.attention(x, x, x, key_padding_mask=t == 0),
    "sdpa": lambda m, x, t: F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None]),
    "sdpa_causal": lambda m, x, t: F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None], is_causal=True),
    "causal_mask": lambda m, x, t: (x @ x.mT).masked_fill(torch.ones(5, 5, device=x.device).triu(1) == 1, -9.0),
    "square_subsequent_mask": lambda m, x, t: (
        x @ x.mT + nn.Transformer.generate_square_subsequent_mask(LENGTH, device=x.device).clamp(min=-9)
    ),
    "bicubic": lambda m, x, t: F.interpolate(x[:, None], size=(7, 9), mode="bicubic", antialias=True),
    "linear_interpolation": lambda m, x, t: F.interpolate(x.mT, size=9, mode="linear", align_corners=True),
    "grid_sample": lambda m, x, t: F.grid_sample(x[:, None], torch.zeros(BATCH, 2, 2, 2).to(x), align_corners=True),
    "checkpoint": lambda m, x, t: checkpoint(m.lin, x, use_reentrant=False),
    "checkpoint_reentrant": lambda m, x, t: checkpoint(m.lin, x, use_reentrant=True),
    "deepcopy": lambda m, x, t: deepcopy(m.lin)(x),
    "new_layers": _new_layers,
    "functional_dropout": lambda m, x, t: F.dropout(x, 0.0, m.training) + F.dropout(x, 0.5, False),
    "polar": lambda m, x, t: torch.view_as_real(torch.polar(x.abs(), x)).flatten(-2),
    "complex_exponential": lambda m, x, t: torch.exp(1j * m.table[: x.size(1)]).real + x,
    "complex_conjugate": lambda m, x, t: torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (4, 2))).conj() * 1j),
    "meshgrid": lambda m, x, t: sum(torch.meshgrid(x[0, 0], x[0, 1], indexing="ij")),
    "outer_and_bucketize": lambda m, x, t: torch.bucketize(t, m.table[:, 0].sort().values).unsqueeze(-1) * x,
    "repeat_roll_flip": lambda m, x, t: x.repeat(1, 2, 1).roll(1, 1).flip(1) + x.repeat_interleave(2, dim=1),
    "pad": lambda m, x, t: F.pad(x, (0, 0, 1, 2)),
    "norm_and_var": lambda m, x, t: x / x.norm(dim=-1, keepdim=True) + x.var(-1, keepdim=True) + x.std(),
    "dtype_round_trip": lambda m, x, t: x.double().float().half().to(torch.float32) + x.to(torch.bfloat16).float(),
    "item_and_asserts": _reads_values,
    "prints": _prints,
    "cpu_and_back": _moves_there_and_back,
    "no_grad_table": lambda m, x, t: x + torch.no_grad()(lambda: m.table.clone().mul_(2))()[: x.size(1)],
    "custom_loss": lambda m, x, t: F.cross_entropy(x.flatten(0, 1), (t % WIDTH).flatten()),
    "bernoulli": lambda m, x, t: x * torch.bernoulli(torch.ones_like(x)),
    "nested_output": lambda m, x, t: {"a": [x, (x * 2, None)], "b": {"c": t}, "d": 3, "e": "text"},
}


def marked_file() -> str:
    """The name under which all these modules are compiled."""
    return __file__
