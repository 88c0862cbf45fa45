"""The transformers reader: patch embeddings are a module of their own, the outer one adds what is not pixels."""

import torch
from torch import nn


class PatchEmbeddings(nn.Module):
    def __init__(self, image_size, patch_size, num_channels, hidden_size):
        super().__init__()
        image_size = image_size if isinstance(image_size, (list, tuple)) else (image_size, image_size)
        self.image_size = image_size
        self.num_patches = (image_size[1] // patch_size) * (image_size[0] // patch_size)
        self.projection = nn.Conv2d(num_channels, hidden_size, kernel_size=patch_size, stride=patch_size)

    def forward(self, pixel_values):
        _, _, height, width = pixel_values.shape
        if height != self.image_size[0] or width != self.image_size[1]:
            raise ValueError(
                f"Got pixels of {height}*{width}, but this model was made for {self.image_size[0]}*{self.image_size[1]}."
            )
        return self.projection(pixel_values).flatten(2).transpose(1, 2)


class ViTEmbeddings(nn.Module):
    def __init__(self, image_size=32, patch_size=8, in_channels=3, d_model=64, dropout=0.0, std=0.02):
        super().__init__()
        self.cls_token = nn.Parameter(torch.zeros(1, 1, d_model))
        self.patch_embeddings = PatchEmbeddings(image_size, patch_size, in_channels, d_model)
        self.position_embeddings = nn.Parameter(torch.zeros(1, self.patch_embeddings.num_patches + 1, d_model))
        self.dropout = nn.Dropout(dropout)
        self._init_weights(std)

    def _init_weights(self, std):
        nn.init.trunc_normal_(self.position_embeddings, mean=0.0, std=std)
        nn.init.trunc_normal_(self.cls_token, mean=0.0, std=std)
        nn.init.zeros_(self.patch_embeddings.projection.bias)

    def forward(self, images):
        embeddings = self.patch_embeddings(images)
        batch_size = embeddings.shape[0]
        cls_tokens = self.cls_token.expand(batch_size, -1, -1)
        embeddings = torch.cat((cls_tokens, embeddings), dim=1)
        embeddings = embeddings + self.position_embeddings
        return self.dropout(embeddings)
