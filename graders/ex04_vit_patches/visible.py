"""Visible checks of exercise 4: how many parameters, which token a patch becomes, positions, other image sizes.

Parts may have any name and any shape: parameters are found by listing them, and judged by what they do.
"""

import math
from dataclasses import replace

import torch

from graders.engine.judge.vocabulary import (
    Draw,
    Module,
    Student,
    expect,
    expect_all_learn,
    expect_parameter_count,
    expect_refusal,
    needs,
    objective,
)
from graders.ex04_vit_patches.images import (
    SAME,
    Sizes,
    answer_for,
    draw_images,
    draw_sizes,
    fill,
    image_size,
    make,
    numbers_for,
)

FAMILIES = ["AssertionError", "ValueError"]


@objective("stack")
def check_constructor(student: Student) -> None:
    """ViTEmbeddings(image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0) makes a module"""
    student.ViTEmbeddings.expect_module_class()
    student.ViTEmbeddings(image_size=12, patch_size=4, in_channels=1, d_model=6, dropout=0.3)
    student.ViTEmbeddings((8, 12), 4, 2, 6, 0.3)
    student.ViTEmbeddings()


@needs("constructor")
@objective("implement")
def check_parameter_count(student: Student, rng: Draw) -> None:
    """projection, bias, class token and N + 1 positions are all the parameters there are, and all of them learn"""
    sizes = draw_sizes(rng)
    expect_parameters(make(student, sizes), sizes)
    expect_parameters(student.ViTEmbeddings(), Sizes(rows=4, columns=4, patch=8, channels=3, d_model=64))


def expect_parameters(module: Module, sizes: Sizes) -> None:
    """Expect as many parameters as the exercise counts, and a gradient for each."""
    patches, pixels, width = sizes.rows * sizes.columns, sizes.channels * sizes.patch**2, sizes.d_model
    expected = (pixels + 2 + patches + 1) * width
    facts = module.inventory().parameters.values()
    surplus = sum(math.prod(each.shape) for each in facts) - expected
    expect_parameter_count(
        module,
        expected,
        f"for {sizes.rows} x {sizes.columns} patches of {sizes.channels} x {sizes.patch} x {sizes.patch} numbers and "
        f"d_model={width}: projection {pixels * width} + bias {width} + class token {width} + positions "
        f"({patches} + 1) * {width}",
        explain_surplus(surplus, patches, width),
    )
    expect_all_learn(module, "Everything is learned here, positions too: remove requires_grad = False.")


def explain_surplus(surplus: int, patches: int, width: int) -> str:
    """Return which mistake makes so many parameters too many or, below zero, too few."""
    return {
        -width: "One vector of d_model numbers is missing: the projection has a bias, the class token is one vector, "
        "and it has a row in the table of positions as well (N + 1 rows).",
        -2 * width: "Two vectors of d_model numbers are missing: the class token, and its row in the positions.",
        -patches * width: "Every token has a position row of its own: N + 1 rows, not one row for all of them.",
        -(patches + 1) * width: "Positions are learned: an nn.Parameter or an nn.Embedding with N + 1 rows. The fixed "
        "sinusoids belong to exercise 1.",
        width: "One vector of d_model numbers is too many: one bias, one class token, N + 1 rows of positions.",
        2 * width: "Two vectors of d_model numbers are too many, as a LayerNorm has them: none is asked for.",
    }.get(
        surplus,
        "One projection serves all patches, one class token all images; each token has one position row. Compare the "
        "shapes with the sizes asked for: height and width may differ.",
    )


@needs("constructor")
@objective("stack")
def check_shape(student: Student, rng: Draw) -> None:
    """a batch of images becomes (batch, N + 1, d_model) vectors: oblong ones, 1 or 11 of them, a single patch"""
    sizes = draw_sizes(rng)
    module = make(student, sizes)
    for batch in (2, 1, 11):
        answer_for(module, sizes, draw_images(rng, sizes, batch))
    for other in (replace(sizes, rows=sizes.columns, columns=sizes.rows), replace(sizes, rows=1, columns=1)):
        answer_for(make(student, other), other, draw_images(rng, other, batch=2))
    default = Sizes(rows=4, columns=4, patch=8, channels=3, d_model=64)
    answer_for(student.ViTEmbeddings(), default, draw_images(rng, default, batch=2))


@needs("shape")
@objective("stack")
def check_class_token(student: Student, rng: Draw) -> None:
    """token 0 is the class token: the same for every image, in every call"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    fill(module, rng)
    images = draw_images(rng, sizes, batch=3)
    first, second, again = (numbers_for(module, sizes, each) for each in (images, draw_images(rng, sizes, 3), images))
    spread = torch.cat((first, second)).sub(first[:1]).abs().amax(dim=(0, 2))
    constant = [token for token in range(len(spread)) if spread[token] <= SAME]
    hint = "Put the class token in front of the patches, a parameter that no pixel changes."
    if constant == [len(spread) - 1]:
        hint = "The class token stands last: torch.cat((class_tokens, patches), dim=1) puts it first, as token 0."
    elif (again - first)[:, 0].abs().amax() > SAME:
        hint = "Token 0 is another one in every call: make the class token once, as a parameter in __init__."
    expect(
        constant[:1] == [0],
        expected="token 0 is the same for six different images, and in every call",
        got=f"it differs by up to {float(spread[0]):.3g}; tokens that stay the same: "
        f"{', '.join(map(str, constant[:5])) or 'none'}",
        hint=hint,
    )


@needs("class_token")
@objective("stack")
def check_patches(student: Student, rng: Draw) -> None:
    """each square patch moves its own token alone, in reading order, for wide and for tall images"""
    wide = draw_sizes(rng)
    for sizes in (wide, replace(wide, rows=wide.columns, columns=wide.rows)):
        module = make(student, sizes).eval()
        fill(module, rng)
        images = draw_images(rng, sizes, batch=1).repeat(sizes.rows * sizes.columns + 1, 1, 1, 1)
        for patch in range(sizes.rows * sizes.columns):
            change_patch(images[patch + 1], patch, sizes, rng)
        answers = numbers_for(module, sizes, images)
        expect_own_tokens((answers[1:] - answers[:1]).abs().amax(dim=2) > SAME, sizes)


def change_patch(image: torch.Tensor, patch: int, sizes: Sizes, rng: Draw) -> None:
    """Draw all pixels of one patch of an image anew."""
    row, column = (sizes.patch * index for index in divmod(patch, sizes.columns))
    area = image[:, row : row + sizes.patch, column : column + sizes.patch]
    area.copy_(rng.normal(*area.shape))


def expect_own_tokens(moved: torch.Tensor, sizes: Sizes) -> None:
    """Expect that a change of patch n moved token n + 1 and no other; `moved` is (N, N + 1)."""
    tokens = [row.nonzero().flatten().tolist() for row in moved]
    for patch, came in enumerate(tokens):
        row, column = divmod(patch, sizes.columns)
        expect(
            came == [patch + 1],
            expected=f"in {sizes.rows} x {sizes.columns} patches, a change of the patch in row {row}, column {column} "
            f"changes token {patch + 1} alone",
            got=f"tokens that changed: {', '.join(map(str, came)) or 'none'}",
            hint=explain_order(tokens, sizes),
        )


def explain_order(tokens: list[list[int]], sizes: Sizes) -> str:
    """Return what the tokens that each patch moves say about the way the image is cut."""
    grid = torch.arange(len(tokens)).reshape(sizes.rows, sizes.columns)
    if max(map(len, tokens)) == 0:
        return "No pixel reaches the output: add positions to the projected patches, and return their sum."
    if max(map(len, tokens)) == 1 and [] in tokens:
        return "The pixels of this patch reach no token: each patch counts, up to the last one."
    if any(len(each) != 1 for each in tokens):
        return (
            "A patch is a square, and reshape or view alone cuts runs of numbers: cut with a convolution, unfold or "
            "permute, and bring the features to the last axis with transpose."
        )
    order = torch.tensor([each[0] - 1 for each in tokens])
    for mistaken, words in (
        (grid.t().flatten().argsort(), "Patches are numbered down the columns: number them along the rows, as "
         "flatten(2) does with (batch, d_model, rows, columns)."),
        (grid.flatten().flip(0), "Patches are numbered from the last one backwards: begin at the top left."),
    ):  # fmt: skip
        if torch.equal(order, mistaken):
            return words
    return "Patches come in reading order: the top row of patches from left to right, then the row below it."


@needs("shape")
@objective("implement")
def check_positions(student: Student, rng: Draw) -> None:
    """equal patches at different places become different tokens: each place has a position of its own"""
    sizes = draw_sizes(rng)
    module = make(student, sizes).eval()
    fill(module, rng)
    one_patch = rng.normal(1, sizes.channels, sizes.patch, sizes.patch)
    answer = numbers_for(module, sizes, one_patch.repeat(1, 1, sizes.rows, sizes.columns))[0, 1:]
    distance = (answer[:, None] - answer).abs().amax(dim=2)
    distance.fill_diagonal_(torch.inf)
    alike = (distance <= SAME).nonzero().tolist()
    expect(
        not alike,
        expected=f"an image of {len(answer)} equal patches gives {len(answer)} different tokens behind the class token",
        got=f"{len(alike) // 2} pairs of tokens are alike"
        + "".join(f", tokens {i + 1} and {j + 1} among them" for i, j in alike[:1]),
        hint="Add to every token its own row of the positions: without them a patch looks the same wherever it is.",
    )


@needs("shape")
@objective("limits")
def check_image_size(student: Student, rng: Draw) -> None:
    """images of another size are refused: larger or smaller in one side or both, turned, or of as many patches"""
    sizes = Sizes(rows=2, columns=6, patch=rng.between(3, 5), channels=2, d_model=7)
    module = make(student, sizes)
    answer_for(module, sizes, draw_images(rng, sizes, batch=2))
    grids = [(3, 6), (2, 7), (1, 6), (2, 5), (3, 7), (1, 5), (6, 2), (3, 4), (4, 3), (1, 12), (6, 6), (2, 2), (1, 1)]
    for mode, name in ((module.eval, "evaluation"), (module.train, "training")):
        mode()
        for rows, columns in grids:
            other = replace(sizes, rows=rows, columns=columns)
            expect_refusal(
                module.attempt(draw_images(rng, other, batch=2)),
                FAMILIES,
                f"with image_size={image_size(sizes)} and patch_size={sizes.patch}, images of {image_size(other)} "
                f"({rows} x {columns} patches) are refused by your own check ({name} mode)",
                "Compare height and width, images.shape[2] and images.shape[3], each with its own number of image_size "
                "at the start of forward; raise AssertionError or ValueError if one differs, and say both sizes.",
            )
