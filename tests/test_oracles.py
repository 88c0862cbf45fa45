"""Independent oracles: on the same weights, the references agree with libraries that nobody here wrote.

No weights are downloaded and no model is looked up by name: every model is made from a small configuration, and
the network is out of reach while these tests run.
"""

import importlib.util
import os
import socket
from pathlib import Path

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
    import transformers.models.distilbert.modeling_distilbert
    import transformers.models.gpt2.modeling_gpt2

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
