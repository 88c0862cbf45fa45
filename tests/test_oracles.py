"""Independent oracles: on the same weights, the references agree with libraries that nobody here wrote.

No weights are downloaded and no model is looked up by name: every model is made from a small configuration, and
the network is out of reach while these tests run.
"""

import importlib.util
import os
import socket
from pathlib import Path

import numpy as np
import pytest
import torch

import graders

REFERENCE = Path(graders.__file__).parents[1] / "reference"
D_MODEL, MAX_LEN, VOCAB = 24, 40, 31


@pytest.fixture(scope="module", autouse=True)
def _no_network():
    def refuse(*args, **kwargs):
        raise AssertionError("a test of references asked for the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
        patch.setattr(socket.socket, "connect", refuse)
        yield


def reference(slug):
    spec = importlib.util.spec_from_file_location(f"oracle_{slug}", REFERENCE / f"{slug}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def transformers():
    # Imported here, as it takes three seconds. Neither it nor the other package warns while it is imported; should a
    # new version do so, the test fails, and the place for an exception with its reason is this one.
    import transformers
    import transformers.models.bert.modeling_bert
    import transformers.models.bloom.modeling_bloom
    import transformers.models.distilbert.modeling_distilbert
    import transformers.models.gpt2.modeling_gpt2
    import transformers.models.gptj.modeling_gptj
    import transformers.models.mpt.modeling_mpt
    import transformers.models.t5.modeling_t5
    import transformers.models.vit.modeling_vit

    return transformers


def ids(batch, seq, below, seed=0):
    return torch.randint(below, (batch, seq), generator=torch.Generator().manual_seed(seed))


# ------------------------------------------------------------ exercise 1


def assert_is_the_table(table):
    ours = reference("ex01_sinusoidal").SinusoidalPositionalEncoding(D_MODEL, max_len=len(table)).pe
    # float32 angles of up to len(table): the error grows with the position.
    allowed = 1e-6 + 5e-7 * torch.arange(len(table), dtype=torch.float64)[:, None]
    difference = (ours.double() - table.double()).abs()
    assert bool((difference <= allowed).all()), f"off by up to {float(difference.max()):.2g}"


def test_the_sinusoids_of_a_published_package():
    from positional_encodings.torch_encodings import PositionalEncoding1D

    # Its layout is interleaved, as ours: sine and cosine of one frequency stand side by side.
    assert_is_the_table(PositionalEncoding1D(D_MODEL)(torch.zeros(1, 300, D_MODEL))[0])


def test_adding_the_sinusoids_is_what_that_package_calls_summing():
    from positional_encodings.torch_encodings import PositionalEncoding1D, Summer

    x = torch.randn(3, 17, D_MODEL, generator=torch.Generator().manual_seed(0))
    ours = reference("ex01_sinusoidal").SinusoidalPositionalEncoding(D_MODEL, max_len=20)
    torch.testing.assert_close(ours(x), Summer(PositionalEncoding1D(D_MODEL))(x), rtol=0, atol=1e-5)


def test_the_sinusoids_of_distilbert(transformers):
    make = transformers.models.distilbert.modeling_distilbert.create_sinusoidal_embeddings
    # Interleaved as well, and computed in float64 by numpy, entry by entry.
    assert_is_the_table(make(300, D_MODEL, torch.empty(300, D_MODEL)))


# ------------------------------------------------------------ exercise 2


@pytest.mark.parametrize(("batch", "seq"), [(1, 1), (3, 7), (5, 5), (2, MAX_LEN)])
def test_tokens_and_positions_of_gpt2(transformers, batch, seq):
    config = transformers.GPT2Config(
        vocab_size=VOCAB, n_embd=D_MODEL, n_positions=MAX_LEN, n_layer=1, n_head=2, bos_token_id=0, eos_token_id=0
    )
    theirs = transformers.GPT2Model(config).eval()
    ours = reference("ex02_token_pos").TokenPosEmbedding(VOCAB, D_MODEL, MAX_LEN).eval()
    with torch.no_grad():
        ours.tok.weight.copy_(theirs.wte.weight)
        ours.pos.weight.copy_(theirs.wpe.weight)
        token_ids = ids(batch, seq, VOCAB)
        before_the_blocks = theirs(token_ids, output_hidden_states=True).hidden_states[0]
        torch.testing.assert_close(ours(token_ids), before_the_blocks, rtol=0, atol=1e-6)


def test_the_dropout_of_gpt2(transformers):
    config = transformers.GPT2Config(
        vocab_size=VOCAB, n_embd=D_MODEL, n_positions=MAX_LEN, n_layer=1, n_head=2, embd_pdrop=0.4,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    theirs = transformers.GPT2Model(config).train()
    ours = reference("ex02_token_pos").TokenPosEmbedding(VOCAB, D_MODEL, MAX_LEN, dropout=0.4).train()
    with torch.no_grad():
        ours.tok.weight.copy_(theirs.wte.weight)
        ours.pos.weight.copy_(theirs.wpe.weight)
        token_ids = ids(3, 7, VOCAB)
        torch.manual_seed(5)
        before_the_blocks = theirs(token_ids, output_hidden_states=True).hidden_states[0]
        torch.manual_seed(5)
        torch.testing.assert_close(ours(token_ids), before_the_blocks, rtol=0, atol=1e-6)


# ------------------------------------------------------------ exercise 3


@pytest.fixture(scope="module")
def bert(transformers):
    """Their embeddings and ours, with the same weights; those of the norm are no ones and zeros."""
    config = transformers.BertConfig(
        vocab_size=VOCAB, hidden_size=D_MODEL, max_position_embeddings=MAX_LEN, type_vocab_size=3, num_attention_heads=2
    )
    theirs = transformers.models.bert.modeling_bert.BertEmbeddings(config).eval()
    ours = reference("ex03_bert_segments").BertEmbeddings(VOCAB, D_MODEL, MAX_LEN, type_vocab_size=3).eval()
    pairs = [
        (ours.tok.weight, theirs.word_embeddings.weight),
        (ours.pos.weight, theirs.position_embeddings.weight),
        (ours.seg.weight, theirs.token_type_embeddings.weight),
        (ours.norm.weight, theirs.LayerNorm.weight),
        (ours.norm.bias, theirs.LayerNorm.bias),
    ]
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for mine, other in pairs:
            other.copy_(torch.randn(other.shape, generator=generator))
            mine.copy_(other)
    return theirs, ours


def assert_same(bert, token_ids, **given):
    theirs, ours = bert
    with torch.no_grad():
        torch.testing.assert_close(ours(token_ids, **given), theirs(token_ids, **given), rtol=0, atol=1e-5)


@pytest.mark.parametrize(("batch", "seq"), [(1, 1), (3, 7), (5, 5), (2, MAX_LEN)])
def test_the_embeddings_of_bert(bert, batch, seq):
    token_ids, segments, places = ids(batch, seq, VOCAB), ids(batch, seq, 3, seed=1), ids(batch, seq, MAX_LEN, seed=2)
    assert_same(bert, token_ids)
    assert_same(bert, token_ids, token_type_ids=segments)
    assert_same(bert, token_ids, position_ids=places)
    assert_same(bert, token_ids, token_type_ids=segments, position_ids=places)
    assert_same(bert, token_ids, token_type_ids=segments, position_ids=places[:1])


def test_a_tiny_variance_is_normalised_as_bert_does(bert):
    theirs, ours = bert
    assert theirs.LayerNorm.eps == ours.norm.eps == 1e-12
    small = 1e-5 * torch.randn(4, D_MODEL, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        torch.testing.assert_close(ours.norm(small), theirs.LayerNorm(small), rtol=0, atol=1e-5)


def test_the_dropout_of_bert(transformers, bert):
    theirs, ours = bert
    token_ids = ids(3, 7, VOCAB)
    rates = (theirs.dropout.p, ours.drop.p)
    assert rates == (0.1, 0.1)
    try:
        with torch.no_grad():
            torch.manual_seed(5)
            expected = theirs.train()(token_ids)
            torch.manual_seed(5)
            torch.testing.assert_close(ours.train()(token_ids), expected, rtol=0, atol=1e-5)
    finally:
        theirs.eval()
        ours.eval()


# ------------------------------------------------------------ exercise 4


@pytest.fixture(scope="module", params=[(32, 32), (24, 40)], ids=["square", "oblong"])
def vit(transformers, request):
    """Their embeddings of an image and ours, with the same weights; parts are told apart by their shapes alone."""
    config = transformers.ViTConfig(
        hidden_size=D_MODEL, image_size=request.param, patch_size=8, num_channels=3, hidden_dropout_prob=0.4
    )
    theirs = transformers.models.vit.modeling_vit.ViTEmbeddings(config).eval()
    ours = reference("ex04_vit_patches").ViTEmbeddings(request.param, 8, 3, D_MODEL, dropout=0.4).eval()
    generator = torch.Generator().manual_seed(1)
    by_shape = {parameter.shape: parameter for parameter in ours.parameters()}
    with torch.no_grad():
        for other in theirs.parameters():
            other.copy_(torch.randn(other.shape, generator=generator))
            by_shape.pop(other.shape).copy_(other)
    assert not by_shape
    return theirs, ours, torch.randn(3, 3, *request.param, generator=generator)


def test_the_embeddings_of_vit(vit):
    theirs, ours, images = vit
    with torch.no_grad():
        torch.testing.assert_close(ours(images), theirs(images), rtol=0, atol=1e-4)


def test_the_dropout_of_vit(vit):
    theirs, ours, images = vit
    try:
        with torch.no_grad():
            torch.manual_seed(5)
            expected = theirs.train()(images)
            torch.manual_seed(5)
            torch.testing.assert_close(ours.train()(images), expected, rtol=0, atol=1e-4)
    finally:
        theirs.eval()
        ours.eval()


# ------------------------------------------------------------ exercise 6


@pytest.fixture(scope="module")
def beyond():
    return reference("ex06_beyond_max_len")


@pytest.mark.parametrize(("rows", "new_len"), [(2, 3), (7, 20), (20, 7), (9, 9), (300, 431)])
def test_interpolation_of_torch_and_numpy(beyond, rows, new_len):
    table = torch.randn(rows, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ours = beyond.interpolate_positions(table, new_len)
    grid = torch.nn.functional.interpolate(table.t()[None], size=new_len, mode="linear", align_corners=True)
    torch.testing.assert_close(ours, grid[0].t(), rtol=0, atol=1e-12)
    places = np.linspace(0, rows - 1, new_len)
    columns = [np.interp(places, np.arange(rows), column) for column in table.t().numpy()]
    torch.testing.assert_close(ours, torch.from_numpy(np.stack(columns, axis=1)), rtol=0, atol=1e-12)


def assert_turned(ours, theirs, x):
    # Angles in float32 of up to 299, on either side.
    allowed = (2e-6 + 5e-7 * torch.arange(x.shape[-2])).unsqueeze(1) * 2 * x.abs().max()
    assert bool(((ours - theirs).abs() <= allowed).all()), f"off by up to {float((ours - theirs).abs().max()):.2g}"


@pytest.mark.parametrize("theta", [10000.0, 500.0])
def test_the_rotations_of_a_published_package(beyond, theta):
    from rotary_embedding_torch import RotaryEmbedding

    x = torch.randn(2, 3, 300, D_MODEL, generator=torch.Generator().manual_seed(0))
    theirs = RotaryEmbedding(dim=D_MODEL, theta=theta)
    assert_turned(beyond.apply_rope(x, theta), theirs.rotate_queries_or_keys(x), x)
    piece = x[..., 90:101, :]
    ours = beyond.apply_rope(piece, theta, offset=90)
    torch.testing.assert_close(ours, theirs.rotate_queries_or_keys(piece, offset=90), rtol=0, atol=1e-3)


def test_the_rotations_of_gptj(transformers, beyond):
    gptj = transformers.models.gptj.modeling_gptj
    x = torch.randn(2, 3, 300, D_MODEL, generator=torch.Generator().manual_seed(0))
    sin, cos = gptj.create_sinusoidal_positions(300, D_MODEL).chunk(2, dim=-1)
    # Places stand before heads there.
    theirs = gptj.apply_rotary_pos_emb(x.transpose(1, 2), sin[None], cos[None]).transpose(1, 2)
    assert_turned(beyond.apply_rope(x), theirs, x)


@pytest.mark.parametrize("n_heads", [1, 2, 8, 16, 64])
def test_the_biases_of_bloom_and_mpt(transformers, beyond, n_heads):
    length = 12
    ours = beyond.alibi_bias(n_heads, length)
    build = transformers.models.bloom.modeling_bloom.build_alibi_tensor
    by_key = build(torch.ones(1, length), n_heads, torch.float32).view(n_heads, 1, length)
    # Bloom's bias is slope * j. Within the keys that a causal mask leaves, it is ours up to a constant of each row.
    shifted = (ours - ours[..., :1]).tril()
    torch.testing.assert_close(shifted, by_key.expand(-1, length, -1).tril(), rtol=0, atol=1e-5)
    # MPT's bias is that of the last query.
    of_last = transformers.models.mpt.modeling_mpt.build_mpt_alibi_tensor(n_heads, length)
    torch.testing.assert_close(ours[:, -1:], of_last.view(n_heads, 1, length), rtol=0, atol=1e-5)
    torch.testing.assert_close(ours, ours.mT, rtol=0, atol=0)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(
    ("num_buckets", "max_distance"), [(32, 128), (8, 20), (64, 200), (24, 500), (10, 30), (16, 200)]
)
def test_the_buckets_of_t5(transformers, beyond, bidirectional, num_buckets, max_distance):
    rel = torch.arange(-2000, 2001).view(1, -1)
    theirs = transformers.models.t5.modeling_t5.T5Attention._relative_position_bucket(
        rel, bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    )
    ours = beyond.relative_bucket(rel, bidirectional, num_buckets, max_distance)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=0)
