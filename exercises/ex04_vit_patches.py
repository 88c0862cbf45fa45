"""Exercise 4: an image as a sequence, its patches made tokens that know their places.

Build on exercise 2: what is looked up there by a token's id comes here from the pixels of a patch, and the
positions are learned as before.

Pinned: the class, its arguments and their defaults. The class token is token 0, and patches follow in reading
order: the top row from left to right, then the next one. Each patch is projected as it comes, by one linear map
for all patches, plus a bias: no norm, no activation, no scaling of pixels or vectors. All N + 1 tokens get their
own learned position, by plain addition; dropout comes last. Every object makes parameters of its own in
``__init__``, in their full size, and all of them learn; their number is the one that the class's docstring gives.
Images of another size meet your own ``AssertionError`` or ``ValueError``, in training and in evaluation mode;
sizes that the patch does not divide are not graded. Any number of images makes a batch, each of them on its own,
and a batch may lie transposed in memory. ``forward`` keeps nothing between calls, changes neither images nor
parameters, and leaves mode and random numbers alone, but for dropout; nothing seeds anything. ``double()`` and
``half()`` carry through, and whatever you make in ``forward`` belongs on the device of the images.
Free: the names of all parts and the shapes they have, how the patches are cut out (a convolution, unfold,
reshape) and how pixels are ordered inside a patch, initialisation, helpers. ``_patch_vectors`` is a helper, too.

Check your work with ``make grade``, or this file alone with
``make grade ARGS="-e ex04_vit_patches"``.
"""

import torch
from torch import nn


class ViTEmbeddings(nn.Module):
    """An image becomes a class token and a token for each of its square patches, with learned positions.

    The image is cut into patches of ``patch_size`` by ``patch_size`` pixels; ``image_size`` is the side of a
    square or ``(height, width)``. One projection with a bias serves all patches. A learned class token goes in
    front, the same for every image, and each of these tokens gets a position row of its own. Dropout acts on
    the sum.

    With N patches there are ``in_channels * patch_size ** 2 * d_model`` numbers in the projection, ``d_model``
    in its bias, ``d_model`` in the class token and ``(N + 1) * d_model`` in the positions, and no others.
    Source: "An Image is Worth 16x16 Words" (ViT, 2020), section 3.1.
    """

    def __init__(
        self,
        image_size: int | tuple[int, int] = 32,
        patch_size: int = 8,
        in_channels: int = 3,
        d_model: int = 64,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.image_size = (image_size, image_size) if isinstance(image_size, int) else tuple(image_size)
        height, width = self.image_size
        patches = (height // patch_size) * (width // patch_size)
        self.drop = nn.Dropout(dropout)
        # TODO 1 (about 3 lines): make what is trained: the projection of a patch with its bias, the class token,
        # and the positions, one row for each patch and one for the class token.
        raise NotImplementedError("TODO 1: make the projection, the class token and the positions")

    def _patch_vectors(self, images: torch.Tensor) -> torch.Tensor:
        """The projected patches in reading order: the top row from left to right, then the next one.

        Shapes: ``images`` is ``(batch, in_channels, height, width)``; the result is ``(batch, N, d_model)``.
        """
        # TODO 2 (about 2 lines): project every square patch, and put the vectors on one axis, row after row.
        raise NotImplementedError("TODO 2: cut the images into patches and project them")

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """The class token, then a token for each patch, every one with its position, with dropout on the sum.

        Shapes: ``images`` is ``(batch, in_channels, height, width)``; the result is ``(batch, N + 1, d_model)``.
        Raises: AssertionError or ValueError, naming both sizes, where height or width is not that of
        ``image_size``.
        """
        # TODO 3 (about 6 lines): refuse images of another size, get the patch vectors, put the class token in
        # front of those of every image, add the positions and apply the dropout.
        raise NotImplementedError("TODO 3: put the class token first, add the positions, apply the dropout")
