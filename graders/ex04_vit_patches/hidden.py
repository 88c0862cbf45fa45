"""Hidden checks of exercise 4: one affine map, any batch, no memory, dropout, exact gradients, dtypes, devices."""

from collections import Counter
from dataclasses import dataclass

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Module,
    RemoteTensor,
    Student,
    dtype_name,
    expect,
    expect_arguments_untouched,
    expect_calls_leave_nothing,
    expect_close,
    expect_dropout,
    expect_nothing_shared,
    expect_placement,
    expect_randomness_untouched,
    expect_same_answer_twice,
    expect_tensor,
    needs,
    objective,
)
from graders.ex04_vit_patches.images import (
    SAME,
    Sizes,
    answer_for,
    arguments_for,
    draw_images,
    draw_sizes,
    fill,
    image_size,
    make,
    numbers_for,
)

AXES = ["item", "token", "feature"]
WHITE = 255
MILLION = 1e6
STEP_ROUNDING = 5e-12
PRECISION_HINT = "Convert nothing to a fixed dtype: the output has dtype and precision of the parameters."


def cut(images: torch.Tensor, sizes: Sizes) -> torch.Tensor:
    """Return the patches in reading order, each as one row of its pixels: (batch, N, pixels)."""
    split = images.unflatten(3, (sizes.columns, sizes.patch)).unflatten(2, (sizes.rows, sizes.patch))
    return split.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def black(sizes: Sizes, batch: int) -> torch.Tensor:
    """Return images of zeros."""
    return torch.zeros(batch, sizes.channels, *image_size(sizes))


def read_off(module: Module, sizes: Sizes) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the projection (pixels, d_model) and the answer to a black image (N + 1, d_model), in float64.

    Each pixel of the first patch is lit in an image of its own: what changes is its row of the projection.
    """
    pixels = sizes.channels * sizes.patch**2
    lit = black(sizes, pixels + 1)
    corner = lit[1:, :, : sizes.patch, : sizes.patch]
    corner.copy_(torch.eye(pixels).reshape(corner.shape))
    answers = numbers_for(module, sizes, lit)
    return answers[1:, 1] - answers[0, 1], answers[0]


def predict(projection: torch.Tensor, offset: torch.Tensor, images: torch.Tensor, sizes: Sizes) -> torch.Tensor:
    """Return what the tokens must be if this projection serves every patch, in float64."""
    projected = cut(images.to(torch.float64), sizes) @ projection
    return torch.cat((torch.zeros_like(projected[:, :1]), projected), dim=1) + offset


def alike(student: Student, sizes: Sizes, rng: Draw, count: int, dropout: float = 0.0) -> list[Module]:
    """Return modules made with one seed, alike in whatever is random and no parameter: other checks judge that."""
    seed = rng.seed()
    return [student.ViTEmbeddings.seeded(seed, **arguments_for(sizes), dropout=dropout) for _ in range(count)]


@needs("shape")
@objective("implement")
def check_state(student: Student, rng: Draw) -> None:
    """calls leave nothing behind, eval() holds, changed parameters count at once, objects share nothing"""
    sizes = draw_sizes(rng)
    module, fresh = alike(student, sizes, rng, count=2, dropout=0.4)
    few, many = draw_images(rng, sizes, batch=2), draw_images(rng, sizes, batch=7)
    expect_same_answer_twice(module, few)
    expect_calls_leave_nothing(module, few, many)
    expect_nothing_shared(student.ViTEmbeddings, list(module.inventory().parameters), **arguments_for(sizes))
    make(student, Sizes(rows=1, columns=2, patch=3, channels=1, d_model=4))
    fresh.assign(fill(module, rng))
    expect_close(
        module(few),
        answer_for(fresh.eval(), sizes, few),
        "the answer after the parameters changed, as training changes them: that of a new module with these parameters",
        tolerance=SAME,
        axes=AXES,
        dtype=None,
        hint="Compute all tokens in every call: vectors kept from an earlier call do not learn.",
    )


@needs("state")
@objective("implement")
def check_untouched(student: Student, rng: Draw) -> None:
    """a call changes neither the images nor the parameters, and no random state"""
    sizes = draw_sizes(rng)
    module = make(student, sizes)
    images = draw_images(rng, sizes, batch=2)
    expect_arguments_untouched(module, images, weights=list(fill(module, rng)))
    expect_randomness_untouched(student.ViTEmbeddings, rng, images, **arguments_for(sizes))


@needs("patches", "state")
@objective("stack")
def check_batch(student: Student, rng: Draw) -> None:
    """each image of a batch gets the tokens that it gets alone, also when the batch lies transposed in memory"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    fill(module, rng)
    images = draw_images(rng, sizes, batch=11)
    alone = torch.cat([answer_for(module, sizes, images[n : n + 1]) for n in range(len(images))])
    for name, given in (("in a batch of 11", images), ("in a transposed batch of 11", images.mT.contiguous().mT)):
        expect_close(
            module(given),
            alone,
            f"the tokens of each image {name}: those of this image alone",
            tolerance=SAME,
            axes=AXES,
            dtype=None,
            hint="Images do not meet: use no mean or norm over the batch, and reshape instead of view.",
        )


@needs("patches", "state")
@objective("stack")
def check_affine(student: Student, rng: Draw) -> None:
    """one linear map, the same for every patch, takes its pixels to its vector; the rest is a constant"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    fill(module, rng)
    projection, offset = read_off(module, sizes)
    images = draw_images(rng, sizes, batch=5)
    nothing, got, doubled = numbers_for(module, sizes, torch.cat((black(sizes, 5), images, 2 * images))).split(5)
    linear = bool(((doubled - nothing) - 2 * (got - nothing)).abs().amax() <= SAME)
    expect_close(
        got,
        predict(projection, offset, images, sizes),
        "a linear map of the patch's pixels, as single pixels of the first patch show it, plus the answer to a black "
        "image",
        tolerance=SAME,
        axes=AXES,
        dtype=None,
        hint="The map is linear, but not one for all: project every patch of every image with the same weights."
        if linear
        else "Twice the pixels do not make twice the change: leave out norms and activations, and project only.",
    )
    bright = rng.integers(*images.shape, low=0, high=WHITE)
    expect_close(
        answer_for(module, sizes, bright),
        predict(projection, offset, bright, sizes),
        f"the same linear map for pixels from 0 to {WHITE}",
        tolerance=WHITE * SAME,
        axes=AXES,
        dtype=None,
        hint="Project the pixels as they come, large ones as well: whoever loads the images decides on their range.",
    )


@needs("state")
@objective("implement")
def check_dropout(student: Student, rng: Draw) -> None:
    """in training, one dropout acts on all tokens, positions included, with the rate asked for, by default none"""
    sizes = Sizes(rows=3, columns=4, patch=3, channels=2, d_model=72)
    default = Sizes(rows=4, columns=4, patch=8, channels=3, d_model=64)
    images = draw_images(rng, sizes, batch=40)
    for rate, module in ((0.4, make(student, sizes, dropout=0.4)), (0.0, make(student, sizes, dropout=0.0))):
        fill(module, rng)
        plain = answer_for(module.eval(), sizes, images)
        got = [answer_for(module.train(), sizes, images) for _ in range(2)]
        expect_dropout([RemoteTensor(one[:, 1:]) for one in got], plain[:, 1:], rate, "the part behind the class token")
        hint = "Dropout acts on the class token as on the patches: apply it once, to the finished sum."
        expect_dropout([RemoteTensor(one[:, 0]) for one in got], plain[:, 0], rate, "the class token", hint)
    images = draw_images(rng, default, batch=2)
    module = student.ViTEmbeddings()
    plain = answer_for(module.eval(), default, images)
    hint = "Keep the default dropout=0.0 of the signature, and pass it on."
    module.train()
    expect_dropout([module(images), module(images)], plain, 0.0, "the output with the default rate", hint)


@needs("parameter_count", "positions", "affine")
@objective("contrast")
def check_gradient(student: Student, rng: Draw) -> None:
    """every number in projection, bias, class token and positions gets its exact gradient, and can be trained again"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    fill(module, rng)
    upstream = rng.integers(3, sizes.rows * sizes.columns + 1, sizes.d_model, low=-90, high=90)
    for images in (black(sizes, 3), rng.integers(*black(sizes, 3).shape)):
        expect_gradients(module, images, upstream, sizes)


def expect_gradients(module: Module, images: torch.Tensor, upstream: torch.Tensor, sizes: Sizes) -> None:
    """Expect each gradient to be there as often as it should, in whatever tensors and in whatever order.

    All numbers are whole, so that sums of them are exact: rounding only makes them keys.
    """
    paths = list(module.inventory().parameters)
    came = module.forward_backward(images, upstream=upstream, of=paths).gradients
    cut_off = [path for path in paths if came[path] is None]
    expect(
        not cut_off,
        expected="a gradient for every parameter",
        got=f"none for {', '.join(cut_off)}: cut off from the output",
        hint="Use it in forward, and remove detach(), .data and torch.no_grad() from its way: this must learn.",
    )
    parts = expected_gradients(images, upstream, sizes)
    known = torch.cat([rounded(part.values) for part in parts])
    left = Counter[float]()
    for answer in came.values():
        if answer is not None:
            values = rounded(answer.values)
            # Whatever else there is need not be counted, and can be a lot.
            left += counted(values[torch.isin(values, known)])
    for part in parts:
        wanted = counted(rounded(part.values))
        missing = wanted - left
        expect(
            not missing,
            expected=f"among all gradients are the {wanted.total()} of {part.name}, for {part.images}",
            got=f"{missing.total()} of them are missing, the value {next(iter(missing), 0.0):g} for one",
            hint=part.hint,
        )
        left -= wanted


def rounded(values: torch.Tensor) -> torch.Tensor:
    """Return the numbers of a tensor in a form that can be compared; 0 has no sign."""
    return values.flatten().to(torch.float64).round(decimals=1) + 0.0


def counted(values: torch.Tensor) -> Counter[float]:
    """Return how often each number stands there."""
    numbers, counts = values.unique(return_counts=True)
    return Counter(dict(zip(numbers.tolist(), counts.tolist(), strict=True)))


@dataclass(frozen=True)
class Part:
    """A part of what is learned: the gradients that it must get, in any order."""

    name: str
    images: str
    values: torch.Tensor
    hint: str


def expected_gradients(images: torch.Tensor, upstream: torch.Tensor, sizes: Sizes) -> list[Part]:
    """Return the gradients of everything that is learned, part by part."""
    total = upstream.sum(dim=0)
    kind = "random images" if bool(images.any()) else "black images"
    return [
        Part(
            "the positions of the patches",
            kind,
            total[1:],
            "Add to each patch its own row of the positions, once and unscaled, the same for every image.",
        ),
        Part(
            "the class token and its position",
            kind,
            total[:1].repeat(2, 1),
            "The class token needs a position as well: put it in front first, then add all N + 1 rows, unscaled.",
        ),
        Part(
            "the projection's bias",
            kind,
            total[1:].sum(dim=0),
            "Add one bias to every patch, and to no class token; scale the projected vectors by nothing.",
        ),
        Part(
            "the projection",
            kind,
            torch.einsum("bnp,bnd->pd", cut(images, sizes), upstream[:, 1:]),
            "Project the pixels as they come, all of them, neither shifted nor scaled.",
        ),
    ]


@needs("state")
@objective("implement")
def check_dtype(student: Student, rng: Draw) -> None:
    """vectors have dtype and precision of the parameters: float32, double() and half() carry through"""
    sizes = draw_sizes(rng)
    single, double, half = (module.eval() for module in alike(student, sizes, rng, count=3))
    images = (draw_images(rng, sizes, batch=2) / 8).half().float()
    values = {path: value.half().float() for path, value in fill(single, rng).items()}
    for module in (single, double.to(torch.float64), half.to(torch.float16)):
        module.assign(values)
    expected = expect_dtype(single, images, answer_for(single, sizes, images), SAME)
    exact = expect_dtype(double, images.double(), expected, SAME)
    expect_dtype(half, images.half(), expected, 5e-2)
    shifted = images.double() + 1e-10 * draw_images(rng, sizes, batch=2).double()
    change = (answer_for(double, sizes, shifted) - exact).abs().amax(dim=2)
    changed = ((change > 1e-13) & (change < 1e-7)).sum(dim=1)  # rounding to float32 makes it 0, or larger
    expect(
        bool((changed >= sizes.rows * sizes.columns).all()),
        expected="in a float64 module, pixels that change by about 1e-10 change every patch's token by about as much",
        got=f"it does in {int(changed.min())} of {sizes.rows * sizes.columns} tokens",
        hint=PRECISION_HINT,
    )
    expect_fine_steps(double, {path: value.double() for path, value in values.items()}, images.double(), exact, rng)


def expect_fine_steps(
    module: Module, values: dict[str, torch.Tensor], images: torch.Tensor, answer: torch.Tensor, rng: Draw
) -> None:
    """Expect that a float64 module, whose `answer` belongs to these values, follows steps of them of about 1e-10.

    Steps a million times as wide, one forward and one back, say what a step must change: rounding hardly touches them.
    """
    steps = {path: 1e-10 * rng.normal(*value.shape).double() for path, value in values.items()}
    answers = []
    for factor in (1.0, MILLION, -MILLION):
        module.assign({path: values[path] + factor * step for path, step in steps.items()})
        answers.append(expect_tensor(module(images), answer.shape, "the output of a float64 module", dtype=None))
    fine, forward, back = answers
    expect_close(
        fine - answer,
        (forward - back) / (2 * MILLION),
        "in a float64 module, the change of the output when all parameters change by about 1e-10",
        tolerance=STEP_ROUNDING,
        axes=AXES,
        dtype=torch.float64,
        hint="Convert no parameter to float32: class token, positions and projection act in their own precision.",
    )


def expect_dtype(module: Module, images: torch.Tensor, expected: torch.Tensor, tolerance: float) -> torch.Tensor:
    """Expect the answer to be `expected` in the dtype of the images, and return it."""
    return expect_close(
        module(images),
        expected,
        f"the output of a {dtype_name(images.dtype)} module",
        tolerance=tolerance,
        axes=AXES,
        dtype=images.dtype,
        hint=PRECISION_HINT,
    )


@needs("shape")
@objective("implement")
def check_device(student: Student, rng: Draw) -> None:
    """class token and positions follow the images to another device"""
    sizes = draw_sizes(rng)
    expect_placement(student.ViTEmbeddings.place([draw_images(rng, sizes, batch=2)], **arguments_for(sizes)))
