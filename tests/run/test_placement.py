"""The placement probe: faults are found with their line, right modules and hostile ones cost nothing."""

import json
import os
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from graders.engine.run.worker.finding import FAULTS, Placement
from graders.engine.run.worker.placement import Place, probe_on, probe_placement
from tests.run.placement_modules import (
    FAULTY,
    RIGHT,
    STEPS,
    ArangeOnDevice,
    ArangeWithoutDevice,
    BertSum,
    Fault,
    FirstCallCache,
    GradientOnCpu,
    KeepsLastOutput,
    ListOfModules,
    OrderClassifier,
    ParameterAlsoInList,
    PlainAttribute,
    ResultToCpu,
    Step,
    Tables,
    TiedTables,
    ids,
    marked_file,
    vectors,
)

REPOSITORY = Path(__file__).parents[2]


def probe(make: Callable[[], Any], *inputs: Any) -> Placement:
    return probe_placement(make, inputs, marked_file())


def module_of(forward: Callable[..., Any]) -> Callable[[], nn.Module]:
    """Return what makes a module with token and position tables and this forward."""
    return type("Made", (Tables,), {"forward": forward})


# Faults and right modules


@pytest.mark.parametrize("fault", FAULTY, ids=lambda fault: fault.module.__name__)
def test_a_fault_is_found_with_its_line(fault: Fault) -> None:
    found = probe(fault.module, fault.inputs())
    assert (found.kind, found.operator, found.line) == (fault.kind, fault.operator, fault.line)
    assert found.kind in FAULTS
    assert found.message


@pytest.mark.parametrize(("module", "inputs"), RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_a_right_module_is_ok(module: type[nn.Module], inputs: Callable[[], Tensor]) -> None:
    assert probe(module, inputs()) == Placement("ok")


@pytest.mark.parametrize("name", STEPS)
def test_a_legal_step_is_ok(name: str) -> None:
    assert probe(lambda: Step(STEPS[name]), vectors(), ids()) == Placement("ok")


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("name", STEPS)
def test_a_legal_step_without_gradients_is_no_fault(name: str, mode: Callable[[], Any]) -> None:
    class Without(Step):
        def forward(self, x: Tensor, token_ids: Tensor) -> Any:
            with mode():
                return super().forward(x, token_ids)

    assert probe(lambda: Without(STEPS[name]), vectors(), ids()).kind not in FAULTS


@pytest.mark.parametrize("layer", [nn.GRU, nn.LSTM, nn.RNN])
def test_a_recurrent_layer_is_no_fault(layer: type[nn.Module]) -> None:
    class Recurrent(Tables):
        def __init__(self) -> None:
            super().__init__()
            self.layer = layer(8, 8, batch_first=True)

        def forward(self, token_ids: Tensor) -> Tensor:
            return self.layer(self.tok(token_ids))[0]

    assert probe(Recurrent, ids()).kind not in FAULTS


def test_none_and_further_inputs_are_passed_on() -> None:
    assert probe(BertSum, ids(), None) == Placement("ok")
    assert probe(BertSum, ids(), torch.zeros_like(ids())) == Placement("ok")


def test_inputs_are_copies() -> None:
    def forward(self: Tables, x: Tensor) -> Tensor:
        x += 1
        return x

    x = vectors()
    assert probe(module_of(forward), x).kind == "ok"
    assert torch.equal(x, vectors())


# Words


def test_the_message_names_operator_shape_and_dtype() -> None:
    wanted = "embedding got one tensor on the accelerator and one on the CPU (shape (5,), int64)"
    assert probe(ArangeWithoutDevice, ids()).message == wanted


def test_a_first_call_that_matters_is_told() -> None:
    assert probe(FirstCallCache, ids()).message.startswith("after a first call on the CPU, embedding got ")
    assert not probe(PlainAttribute, vectors()).message.startswith("after")


def test_the_backward_pass_is_told() -> None:
    assert probe(GradientOnCpu, ids()).message.startswith("in the backward pass, embedding got ")


def test_an_output_elsewhere_is_told() -> None:
    wanted = "the input is on the accelerator, the output of shape (3, 5, 8) on the CPU"
    assert probe(ResultToCpu, ids()).message == wanted


def test_the_line_is_one_of_the_named_file() -> None:
    source = textwrap.dedent("""
        import torch
        from torch import nn

        class Positions(nn.Module):
            def __init__(self):
                super().__init__()
                self.pos = nn.Embedding(16, 8)

            def rows(self, length):
                return self.pos(
                    torch.arange(length),
                )

            def forward(self, token_ids):
                return self.rows(token_ids.size(1))
    """)
    names: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "exercises/ex00.py", "exec"), names)
    assert probe_placement(names["Positions"], (ids(),), "exercises/ex00.py").line == 11
    assert probe_placement(names["Positions"], (ids(),), "exercises/other.py").line is None


def test_a_finding_is_plain_data() -> None:
    facts = json.loads(json.dumps(asdict(probe(ArangeWithoutDevice, ids()))))
    assert facts.keys() == {"kind", "message", "line", "operator"}


# Student code that does something else


class Unspeakable(RuntimeError):
    def __str__(self) -> str:
        raise SystemExit(3)


class _Nameless(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise KeyboardInterrupt


class Nameless(Exception, metaclass=_Nameless):
    """An exception whose very type can't be named."""


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(0),
        KeyboardInterrupt(),
        GeneratorExit(),
        StopIteration(),
        MemoryError(),
        Unspeakable(),
        Nameless(),
    ],
    ids=lambda error: type.__repr__(type(error)),
)
def test_what_student_code_raises_is_inconclusive(error: BaseException) -> None:
    def fail(*args: Any) -> Any:
        raise error

    assert probe(module_of(fail), ids()).kind == "inconclusive"
    assert probe(fail, ids()).kind == "inconclusive"


def test_a_hook_that_raises_in_the_backward_pass_is_inconclusive() -> None:
    def forward(self: Tables, token_ids: Tensor) -> Tensor:
        out = self.tok(token_ids)
        out.register_hook(lambda gradient: sys.exit(1))
        return out

    found = probe(module_of(forward), ids())
    assert found.kind == "inconclusive"
    assert "in the backward pass" in found.message


def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


@pytest.mark.parametrize(
    "output", [None, 3, "text", [], (), {}, [None, {"a": ()}], _circle(), nn.Linear(2, 2)], ids=repr
)
def test_an_output_without_tensors_is_inconclusive(output: Any) -> None:
    assert probe(module_of(lambda self, token_ids: output), ids()).kind == "inconclusive"


@pytest.mark.parametrize("made", [None, 5, torch.ones(3), nn.Linear])
def test_what_is_no_module_is_inconclusive(made: Any) -> None:
    assert probe(lambda: made, ids()).kind == "inconclusive"


def test_endless_recursion_is_inconclusive() -> None:
    def forward(self: Tables, token_ids: Tensor) -> Tensor:
        return forward(self, token_ids)

    assert probe(module_of(forward), ids()).kind == "inconclusive"


def test_an_error_of_the_cpu_is_inconclusive() -> None:
    assert probe(module_of(lambda self, token_ids: self.tok(token_ids + 100)), ids()).kind == "inconclusive"


def _asks_for_the_very_type(self: Tables, token_ids: Tensor) -> Tensor:
    if type(token_ids) is not Tensor:
        raise ValueError("no tensor")
    return self.tok(token_ids)


def _cannot_be_called_twice(self: Tables, token_ids: Tensor) -> Tensor:
    if hasattr(self, "kept"):
        raise ValueError("once only")
    self.kept = True
    return self.tok(token_ids)


def _meets_a_limit_of_the_pretence(self: Tables, token_ids: Tensor) -> Tensor:
    held = token_ids.numpy() if token_ids.is_cpu else token_ids
    assert len(memoryview(held)) > 0
    return self.tok(token_ids)


def _translates_a_limit_of_the_pretence(self: Tables, token_ids: Tensor) -> Tensor:
    try:
        return _meets_a_limit_of_the_pretence(self, token_ids)
    except TypeError:
        raise ValueError("these numbers are of no use") from None


@pytest.mark.parametrize(
    "forward",
    [
        _asks_for_the_very_type,
        _cannot_be_called_twice,
        _meets_a_limit_of_the_pretence,
        _translates_a_limit_of_the_pretence,
    ],
)
def test_an_exception_that_may_have_another_reason_is_inconclusive(forward: Callable[..., Any]) -> None:
    found = probe_placement(module_of(forward), (ids(),), __file__)
    assert found.kind == "inconclusive"
    assert found.line is not None


def test_a_refusal_without_a_call_on_the_cpu_before_is_inconclusive() -> None:
    def forward(self: Tables, token_ids: Tensor) -> Tensor:
        raise KeyError

    found = probe_placement(module_of(forward), (ids(),), __file__)
    assert (found.kind, found.message) == ("inconclusive", "KeyError: ")


def test_a_generator_of_the_pretended_device_is_inconclusive() -> None:
    def forward(self: Tables, token_ids: Tensor) -> Tensor:
        generator = torch.Generator(device=token_ids.device)
        return self.tok(token_ids) + torch.randn(8, device=token_ids.device, generator=generator)

    assert probe(module_of(forward), ids()).kind in ("ok", "inconclusive")


@pytest.fixture
def restored() -> Iterator[None]:
    """Put back what a student may change in torch, after the test."""
    kept = torch.arange, torch.Tensor, torch.get_default_dtype()
    yield
    torch.arange, torch.Tensor = kept[:2]
    torch.set_default_dtype(kept[2])
    torch.set_grad_enabled(True)


@pytest.mark.usefixtures("restored")
def test_another_default_dtype_changes_nothing() -> None:
    torch.set_default_dtype(torch.float64)
    assert probe(OrderClassifier, ids()) == Placement("ok")
    assert probe(ListOfModules, ids()).kind == "mismatch"


@pytest.mark.usefixtures("restored")
def test_a_patched_torch_function_changes_nothing() -> None:
    arange = torch.arange
    torch.arange = lambda *args, **kwargs: arange(*args, **kwargs)
    assert probe(ArangeOnDevice, ids()) == Placement("ok")
    assert probe(ArangeWithoutDevice, ids()).kind == "mismatch"


@pytest.mark.usefixtures("restored")
def test_a_broken_torch_is_no_fault() -> None:
    torch.Tensor = None
    assert probe(ArangeOnDevice, ids()).kind in ("ok", "inconclusive")


@pytest.mark.usefixtures("restored")
def test_gradients_switched_off_hide_nothing() -> None:
    torch.set_grad_enabled(False)
    assert probe(GradientOnCpu, ids()).kind == "mismatch"
    assert not torch.is_grad_enabled()


def test_ambient_inference_mode_changes_nothing() -> None:
    with torch.inference_mode():
        assert probe(ArangeOnDevice, ids()) == Placement("ok")
        assert probe(ArangeWithoutDevice, ids()).kind == "mismatch"


def test_warnings_as_errors_change_nothing() -> None:
    def forward(self: Tables, token_ids: Tensor) -> Tensor:
        warnings.warn("from the student", stacklevel=1)
        return self.tok(token_ids)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert probe(module_of(forward), ids()) == Placement("ok")


# What stays as it was


def _sets_default_device(self: Tables, token_ids: Tensor) -> Tensor:
    torch.set_default_device(token_ids.device)
    return self.tok(token_ids)


def _enters_device(self: Tables, token_ids: Tensor) -> Tensor:
    torch.device("cpu").__enter__()
    return self.tok(token_ids)


def _enters_modes(self: Tables, token_ids: Tensor) -> Tensor:
    torch.overrides.BaseTorchFunctionMode().__enter__()
    torch.utils._python_dispatch.BaseTorchDispatchMode().__enter__()
    return self.tok(token_ids)


def _switches_gradients_off(self: Tables, token_ids: Tensor) -> Tensor:
    torch.set_grad_enabled(False)
    return self.tok(token_ids)


def _filters_warnings(self: Tables, token_ids: Tensor) -> Tensor:
    warnings.simplefilter("error")
    return self.tok(token_ids)


@pytest.mark.parametrize(
    "forward",
    [_sets_default_device, _enters_device, _enters_modes, _switches_gradients_off, _filters_warnings],
)
def test_global_state_is_as_before(forward: Callable[..., Any]) -> None:
    def state() -> tuple[Any, ...]:
        return (
            torch.get_default_device(),
            torch.get_default_dtype(),
            torch.is_grad_enabled(),
            torch._C._len_torch_function_stack(),
            torch._C._len_torch_dispatch_stack(),
            torch.__future__.get_overwrite_module_params_on_conversion(),
            torch.__future__.get_swap_module_params_on_conversion(),
            list(warnings.filters),
            type(torch.ones(2) + 1),
        )

    before = state()
    assert probe(module_of(forward), ids()).kind not in FAULTS
    assert state() == before


@pytest.mark.parametrize("kind", [ArangeOnDevice, KeepsLastOutput, BertSum, OrderClassifier])
def test_a_module_that_is_global_comes_back(kind: type[nn.Module]) -> None:
    module = kind()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    parameters = list(module.parameters())
    assert probe(lambda: module, ids()) == Placement("ok")
    assert all(kept is now for kept, now in zip(parameters, module.parameters(), strict=True))
    for name, value in module.state_dict(keep_vars=True).items():
        assert type(value) in (Tensor, nn.Parameter)
        assert torch.equal(value, before[name])


def test_a_probe_imports_nothing() -> None:
    script = """
        import sys
        import torch.fx.experimental.symbolic_shapes
        from graders.engine.run.worker.placement import probe_placement
        from tests.run import placement_modules as modules

        before = set(sys.modules)
        for module, inputs in (
            (modules.BertSum, modules.ids),
            (modules.PatchesByConvolution, modules.images),
            (modules.SineBuffer, modules.vectors),
        ):
            assert probe_placement(module, (inputs(),), "").kind == "ok"
        assert probe_placement(modules.ArangeWithoutDevice, (modules.ids(),), "").kind == "mismatch"
        print(sorted(set(sys.modules) - before))
    """
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


# A device that PyTorch uses itself

CPU = Place(torch.device("cpu"), lambda module: module, lambda module: module, lambda _: nullcontext())
# Nothing can be moved back from meta, as there are no values there.
META = replace(CPU, device=torch.device("meta"), move=lambda module: module.to("meta"))


@pytest.mark.parametrize(("module", "inputs"), RIGHT, ids=lambda value: getattr(value, "__name__", None))
def test_a_right_module_is_no_fault_on_a_real_device(module: type[nn.Module], inputs: Callable[[], Tensor]) -> None:
    assert probe_on(CPU, module, (inputs(),), marked_file()) == Placement("ok")
    # A parameter stays the same object on its way to CUDA, but not on its way to meta.
    if module not in (ParameterAlsoInList, TiedTables):
        assert probe_on(META, module, (inputs(),), marked_file()).kind not in FAULTS


def test_a_real_mixture_is_found_with_its_line() -> None:
    found = probe_on(META, PlainAttribute, (vectors(),), marked_file())
    line = next(fault.line for fault in FAULTY if fault.module is PlainAttribute)
    assert (found.kind, found.line) == ("mismatch", line)


def test_a_real_mixture_in_the_backward_pass_is_found() -> None:
    found = probe_on(META, GradientOnCpu, (ids(),), marked_file())
    assert found.kind == "mismatch"
    assert "expected device cuda but got cpu" in found.message


def test_a_real_output_elsewhere_is_found() -> None:
    made = module_of(lambda self, token_ids: torch.ones(token_ids.shape))
    assert probe_on(META, made, (ids(),), "").kind == "wrong_output_device"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Expected all tensors to be on the same device, but found cuda:0 and cpu!", "mismatch"),
        ("indices should be either on cpu or on the same device as the indexed tensor (cpu)", "mismatch"),
        ("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.", "mismatch"),
        ("Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be", "mismatch"),
        ("Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be", "mismatch"),
        (
            "Input type (torch.cuda.DoubleTensor) and bias type (torch.cuda.FloatTensor) should",
            "inconclusive",
        ),
        ("F returned an invalid gradient at index 0 - expected device cuda:0 but got cpu", "mismatch"),
        ("F returned an invalid gradient at index 0 - got [2] but expected shape", "inconclusive"),
        ("CUDA out of memory. Tried to allocate 2.00 GiB", "inconclusive"),
        ("CUDA error: device-side assert triggered", "inconclusive"),
        ("CUDA driver initialization failed, you might not have a CUDA gpu.", "inconclusive"),
        ("No CUDA GPUs are available", "inconclusive"),
        ("Torch not compiled with CUDA enabled", "inconclusive"),
    ],
)
def test_errors_of_a_real_device(text: str, kind: str) -> None:
    def forward(self: Tables, token_ids: Tensor) -> Tensor:
        if token_ids.is_meta:
            raise RuntimeError(text)
        return self.tok(token_ids)

    assert probe_on(META, module_of(forward), (ids(),), "").kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "Torch not compiled with CUDA enabled",
        "Found no NVIDIA driver on your system.",
        "PyTorch is not linked with support for mps devices",
        # A machine with a GPU and code that always uses it: the ids are on the CPU.
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
    ],
)
def test_an_accelerator_wanted_on_the_cpu_is_named_in_the_code(text: str) -> None:
    def forward(self: Tables, token_ids: Tensor) -> Tensor:
        if not token_ids.is_cuda:
            raise AssertionError(text)
        return self.tok(token_ids)

    found = probe(module_of(forward), ids())
    assert found.kind == "cuda_hardcoded"
    assert found.message.startswith("called on the CPU it wants an accelerator all the same: AssertionError")
