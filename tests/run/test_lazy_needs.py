"""Ordinary work in a worker that is shut in: whatever is imported or opened only when it is first used, works there.

A worker may read its libraries and nothing more, and start neither processes nor programs. What fails because of that
stands in REFUSED, with words of the error that students see.
"""

import sys
import textwrap
from contextlib import closing

import pytest

from graders.engine.run.isolation import Mode
from graders.engine.run.raised import Raised
from graders.engine.run.supply import WorkerSupply
from tests.run.conftest import Worker

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shuts workers in")

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
x = torch.randn(2, 4, 8)
"""
TORCH = {
    "convolution": "nn.Conv2d(3, 4, 3)(torch.randn(1, 3, 8, 8)).sum().backward()",
    "lstm": "nn.LSTM(8, 5, batch_first=True, bidirectional=True)(x)[0].sum().backward()",
    "attention": "nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)[0].sum().backward()",
    "encoder": "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1)(x)",
    "fused attention": "F.scaled_dot_product_attention(x, x, x, is_causal=True)",
    "decompositions": "torch.linalg.svd(x); torch.linalg.eigh(x @ x.mT); torch.linalg.inv(torch.eye(3))",
    "einsum": "torch.einsum('bsd,btd->bst', x, x)",
    "fft": "torch.fft.rfft(x).abs().sum()",
    "sparse": "torch.eye(5).to_sparse() @ torch.ones(5, 1)",
    "order": "torch.quantile(x, 0.5); torch.topk(x, 2); torch.unique(torch.arange(5) % 2)",
    "distributions": "torch.distributions.Normal(0.0, 1.0).log_prob(x)",
    "bags": "nn.EmbeddingBag(10, 3)(torch.randint(10, (4, 5)))",
    "weight norm": "nn.utils.parametrizations.weight_norm(nn.Linear(8, 2))(x)",
    "functional_call": "torch.func.functional_call(nn.Linear(8, 2), {'bias': torch.ones(2)}, x)",
    "gradients of gradients": """
        (slope,) = torch.autograd.grad(x.requires_grad_().pow(3).sum(), x, create_graph=True)
        slope.sum().backward()
    """,
    "gradcheck": "torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.double, requires_grad=True))",
    "trace": "torch.jit.trace(nn.Linear(8, 2), x)(x)",
    "script": """
        @torch.jit.script
        def double(t: torch.Tensor) -> torch.Tensor:
            return t * 2
        double(x)
    """,
    "copies and states": """
        import copy
        model = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU(), nn.Dropout(0.1))
        model.register_forward_hook(lambda *arguments: None)
        copy.deepcopy(model).load_state_dict(model.state_dict())
        print(model, model(x))
    """,
    "a loader": """
        from torch.utils.data import DataLoader, TensorDataset
        assert len(list(DataLoader(TensorDataset(x), batch_size=1, shuffle=True))) == 2
    """,
    "saving to memory": """
        import io, pickle
        file = io.BytesIO()
        torch.save({"x": x}, file)
        file.seek(0)
        assert torch.equal(torch.load(file)["x"], x)
        pickle.loads(pickle.dumps(nn.Linear(2, 2)))
    """,
    "warnings": """
        import warnings
        with warnings.catch_warnings(record=True), torch.autograd.detect_anomaly():
            x.requires_grad_().sum().backward()
        warnings.warn("so")
    """,
    "threads of torch": """
        torch.set_num_threads(2)
        (torch.randn(300, 300, requires_grad=True) @ torch.randn(300, 300)).sum().backward()
    """,
}
# Each of these imports half a second of modules when it is first used.
SLOW = {
    "an optimizer": """
        model = nn.Linear(8, 2)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
        for _ in range(2):
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
            schedule.step()
    """,
    "checkpoint": """
        from torch.utils.checkpoint import checkpoint
        checkpoint(nn.Linear(8, 8), x.requires_grad_(), use_reentrant=False).sum().backward()
    """,
    "vmap and grad": "torch.func.vmap(torch.func.grad(lambda row: row.sin().sum()))(x)",
    "profiler": """
        with torch.profiler.profile() as profile:
            x @ x.mT
        profile.key_averages().table()
    """,
    "compile": 'torch.compile(lambda t: t + 1, backend="eager")(x)',
}
PYTHON = {
    "numpy": """
        import numpy as np
        a = np.random.default_rng(0).normal(size=(50, 50))
        np.linalg.svd(a), np.fft.fft(a), np.sort(a), np.einsum("ij->i", a), np.polyfit([0, 1, 2], [1, 2, 3], 1)
        np.testing.assert_allclose(torch.from_numpy(a).numpy(), a)
    """,
    "numbers": """
        import decimal, fractions, math, random, statistics
        random.seed(0)
        random.sample(range(10), 3)
        decimal.Decimal("1.1") + 1, statistics.stdev([1, 2, 3]), fractions.Fraction(1, 3), math.gcd(4, 6)
    """,
    "texts": """
        import csv, difflib, io, json, pprint, re, string, textwrap
        json.dumps({"a": [1]}), re.sub("a+", "b", "caat"), pprint.pformat({1: 2}), list(csv.reader(io.StringIO("a,b")))
        "\\N{GREEK SMALL LETTER PI}".encode("utf-16").decode("utf-16"), "\u00e9".encode("latin-1")
    """,
    "times": """
        import datetime, time
        datetime.datetime.now().isoformat(), time.perf_counter(), time.strftime("%Y"), time.localtime()
        time.sleep(0.001)
    """,
    "classes": """
        import abc, collections, dataclasses, enum, functools, itertools, operator, typing
        @dataclasses.dataclass
        class Point:
            x: float
        class Colour(enum.Enum):
            RED = 1
        functools.lru_cache(abs)(3), typing.get_type_hints(Point), collections.Counter("aab")
    """,
    "logging": """
        import logging
        logging.basicConfig(level=logging.INFO)
        logging.getLogger(__name__).info("so")
    """,
    "threads": """
        import concurrent.futures, queue, threading
        numbers = queue.Queue()
        thread = threading.Thread(target=numbers.put, args=(1,))
        thread.start(), thread.join(), numbers.get()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            assert list(pool.map(abs, [-1])) == [1]
    """,
    "many threads": """
        import concurrent.futures, torch
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            assert len(list(pool.map(lambda n: torch.ones(50, 50) @ torch.ones(50, 50), range(256)))) == 256
    """,
    "looking at oneself": """
        import inspect, traceback
        class Own:
            def method(self): return 1
        assert "def method" in inspect.getsource(Own)
        try:
            1 / 0
        except ZeroDivisionError:
            assert "1 / 0" in traceback.format_exc()
    """,
    "contexts and mocks": """
        import contextlib, io, os, unittest.mock
        with contextlib.redirect_stdout(io.StringIO()), unittest.mock.patch("math.pi", 3):
            print("unseen")
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing):
            print("unseen")
    """,
    "the system": """
        import getpass, hashlib, os, pathlib, platform, secrets, shutil, uuid
        os.environ["A"] = "1"
        os.getcwd(), os.cpu_count(), pathlib.Path("a").exists(), platform.platform(), shutil.get_terminal_size()
        secrets.token_hex(4), hashlib.sha256(b""), uuid.uuid4()
    """,
}
WORKS = TORCH | SLOW | PYTHON
REFUSED = {
    "files to read": ("open('/etc/hostname')", "PermissionError: [Errno 13] Permission denied: '/etc/hostname'"),
    "files to write": ("open('/tmp/mine', 'w')", "PermissionError: [Errno 13] Permission denied: '/tmp/mine'"),
    "saving": ("torch.save(x, 'model.pt')", "RuntimeError: [enforce fail at inline_container"),
    "temporary files": ("import tempfile; tempfile.TemporaryFile()", "PermissionError: [Errno 13] Permission denied"),
    "programs": ("import subprocess; subprocess.run(['ls'])", "PermissionError: [Errno 1] Operation not permitted"),
    "processes": ("import multiprocessing; multiprocessing.Pool(1)", "PermissionError: [Errno 13] Permission denied"),
    "a loader's processes": (
        "from torch.utils.data import DataLoader; next(iter(DataLoader([1], num_workers=2)))",
        "PermissionError: [Errno 13] Permission denied",
    ),
    "shared memory": ("x.share_memory_()", "RuntimeError: unable to open shared memory object"),
    "downloads": (
        "import urllib.request; urllib.request.urlopen('https://example.org')",
        "URLError: <urlopen error [Errno -3] Temporary failure in name resolution>",
    ),
    "event loops": (
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        "PermissionError: [Errno 1] Operation not permitted",
    ),
}


def load(supply: WorkerSupply, code: str) -> object:
    """Return what loading a file with this code answers."""
    with closing(supply.start(1024)) as connection:
        return Worker(connection).load(HEAD.encode() + textwrap.dedent(code).encode())


@pytest.mark.parametrize("name", WORKS)
def test_ordinary_work_works(name: str, supply: WorkerSupply) -> None:
    answer = load(supply, WORKS[name])
    assert not isinstance(answer, Raised), answer


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_so(name: str, supply: WorkerSupply) -> None:
    if supply.isolation.mode is not Mode.STRICT:
        pytest.skip("this machine can't shut workers in")
    code, says = REFUSED[name]
    answer = load(supply, code)
    assert isinstance(answer, Raised)
    assert f"{answer.type_name}: {answer.message}".startswith(says)
