"""Exercise 4: an image as a sequence, its patches made tokens that know their places."""

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
        self.projection = nn.Conv2d(in_channels, d_model, kernel_size=patch_size, stride=patch_size)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, d_model))
        self.positions = nn.Parameter(0.02 * torch.randn(1, patches + 1, d_model))

    def _patch_vectors(self, images: torch.Tensor) -> torch.Tensor:
        """The projected patches in reading order: the top row from left to right, then the next one.

        Shapes: ``images`` is ``(batch, in_channels, height, width)``; the result is ``(batch, N, d_model)``.
        """
        grid = self.projection(images)  # (batch, d_model, rows, columns)
        return grid.flatten(2).transpose(1, 2)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """The class token, then a token for each patch, every one with its position, with dropout on the sum.

        Shapes: ``images`` is ``(batch, in_channels, height, width)``; the result is ``(batch, N + 1, d_model)``.
        Raises: AssertionError or ValueError, naming both sizes, where height or width is not that of
        ``image_size``.
        """
        size = tuple(images.shape[2:])
        assert size == self.image_size, f"an image of {size} does not fit image_size={self.image_size}"
        patches = self._patch_vectors(images)
        class_tokens = self.class_token.expand(images.shape[0], -1, -1)
        tokens = torch.cat((class_tokens, patches), dim=1)
        return self.drop(tokens + self.positions)
