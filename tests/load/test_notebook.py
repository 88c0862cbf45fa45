"""Notebooks as real programs save them, and as they arrive broken: the cells that count, or why there are none."""

import base64
import json
import random

import pytest

from graders.engine.load.notebook import cells as reader
from graders.engine.load.notebook import json_text
from graders.engine.load.notebook.cells import MAX_CELLS, NotebookCell, read_notebook
from graders.engine.load.place import Refused

PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def code(source="x = 1", tags=(), /, **more):
    """A code cell as Jupyter saves it."""
    metadata = {"tags": list(tags)} if tags else {}
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": source} | more


def words(text="Words.", kind="markdown"):
    return {"cell_type": kind, "metadata": {}, "source": text}


def book(*cells, **more):
    return {"cells": list(cells), "metadata": PYTHON, "nbformat": 4, "nbformat_minor": 5} | more


def read(document, **options):
    return read_notebook(json.dumps(document, **options).encode())


def sources(document):
    return [cell.source for cell in read(document).cells]


def refusal(data):
    with pytest.raises(Refused) as caught:
        read_notebook(data if isinstance(data, bytes) else json.dumps(data).encode())
    text = str(caught.value)
    assert text.isprintable()
    assert text[0].islower()
    assert text.endswith(".")
    return text


# Which cells count


def test_code_cells_are_numbered_among_all_cells():
    found = read(book(words(), code("a = 1"), words("raw", "raw"), code("b = 2", ["ex01"])))
    assert found.cells == (NotebookCell(2, "a = 1"), NotebookCell(4, "b = 2", ("ex01",)))
    assert found.notes == ()


def test_words_outputs_and_attachments_are_not_looked_at():
    output = {"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}, "metadata": {}}
    cells = read(book(words("class A: pass"), code("a = 1", outputs=[output]), words("x = 2", "raw"))).cells
    assert [cell.source for cell in cells] == ["a = 1"]
    assert "script" not in repr(cells)


def test_an_unknown_kind_of_cell_and_an_empty_one_do_not_count():
    assert sources(book(words("a", "slideshow"), code(" \n\t"), code("b = 1"), {}, code(""))) == ["b = 1"]


@pytest.mark.parametrize(
    "source",
    [
        "a = 1\nb = 2",
        ["a = 1\n", "b = 2"],
        ["a = 1\r\n", "b = 2"],
        "a = 1\r\nb = 2",
        "a = 1\rb = 2",
        "\ufeffa = 1\nb = 2",
    ],
    ids=["text", "list", "list with CRLF", "CRLF", "CR", "BOM"],
)
def test_a_source_is_a_text_or_a_list_of_lines(source):
    assert sources(book(code(source))) == ["a = 1\nb = 2"]


def test_lines_that_do_not_bring_their_ends_get_them():
    assert sources(book(code(["a = 1", "b = 2"]))) == ["a = 1\nb = 2"]
    assert sources(book(code(["a = 1"]))) == ["a = 1"]


def test_blank_lines_and_indentation_stay_as_they_are():
    assert sources(book(code("\n\n  \nif x:\n\ty = '\\u00e9é😀'\f\n"))) == ["\n\n  \nif x:\n\ty = '\\u00e9é😀'\f\n"]


@pytest.mark.parametrize(
    "tags",
    [["ex01"], ["  ex01 "], "ex01", ["EX01", 7, None, ["x"]]],
    ids=["list", "blanks", "text", "capitals"],
)
def test_tags_are_texts(tags):
    assert read(book(code(metadata={"tags": tags}))).cells[0].tags == ("ex01",)


@pytest.mark.parametrize("metadata", [None, [], "x", {"tags": None}, {"tags": {"ex01": 1}}])
def test_metadata_of_another_form_has_no_tags(metadata):
    assert read(book(code(metadata=metadata))).cells[0].tags == ()


# Cells that cannot count are told by number


def test_cells_that_are_none_cost_themselves_only():
    found = read(book(None, code("a = 1"), ["x"], 7, code(source=None), code(source=["x", 1]), code(source={"x": 1})))
    assert [(cell.number, cell.source) for cell in found.cells] == [(2, "a = 1")]
    assert found.notes == (
        "cells 1, 3 and 4 were not read: no cell of any kind",
        "cells 5, 6 and 7 were not read: no text in it",
    )


@pytest.mark.parametrize(
    "more",
    [
        {"metadata": {"vscode": {"languageId": "shellscript"}}},
        {"metadata": {"polyglot_notebook": {"kernelName": "csharp"}}},
        {"metadata": {"dotnet_interactive": {"language": "fsharp"}}},
        {"language": "R"},
    ],
    ids=["VS Code", "Polyglot", ".NET", "version 3"],
)
def test_a_cell_of_another_language_is_passed_over(more):
    found = read(book(code("a = 1"), code("ls", **more)))
    assert [cell.source for cell in found.cells] == ["a = 1"]
    assert found.notes == ("cell 2 was not read: another language",)


@pytest.mark.parametrize("metadata", [{"vscode": {"languageId": "python"}}, {"vscode": {}}, {"vscode": None}])
def test_a_cell_that_is_said_to_be_python_counts(metadata):
    assert len(read(book(code(metadata=metadata))).cells) == 1


def test_long_lists_of_cells_are_cut():
    [note] = read(book(code(), *[None] * 100)).notes
    assert note == "cells " + ", ".join(map(str, range(2, 22))) + " and 80 more were not read: no cell of any kind"


# Versions


@pytest.mark.parametrize("minor", [0, 1, 2, 3, 4, 5, 9])
def test_every_minor_version_of_4(minor):
    assert sources(book(code(), nbformat_minor=minor)) == ["x = 1"]


@pytest.mark.parametrize("source", ["a = 1\nb = 2", ["a = 1\n", "b = 2"]])
def test_version_3_keeps_its_cells_in_worksheets(source):
    old = {
        "cell_type": "code",
        "collapsed": False,
        "input": source,
        "language": "python",
        "outputs": [],
        "metadata": {},
    }
    heading = {"cell_type": "heading", "level": 1, "source": "T"}
    worksheets = [{"cells": [heading, old]}, {"cells": [{**old, "metadata": {"tags": ["ex01"]}}]}]
    document = {"metadata": {"name": "x"}, "nbformat": 3, "nbformat_minor": 0, "worksheets": worksheets}
    assert read(document).cells == (NotebookCell(2, "a = 1\nb = 2"), NotebookCell(3, "a = 1\nb = 2", ("ex01",)))


def test_worksheets_of_another_form_are_empty():
    assert "no code cell" in refusal({"nbformat": 3, "worksheets": [None, {}, {"cells": 1}]})


@pytest.mark.parametrize("document", [{"nbformat": 2, "worksheets": [{"cells": []}]}, {"nbformat": 1, "cells": []}])
def test_older_versions_are_named(document):
    assert f"version {document['nbformat']}, older" in refusal(document)


@pytest.mark.parametrize("version", [5, 17.5])
def test_newer_versions_are_named(version):
    assert f"version {version}, newer" in refusal(book(code(), nbformat=version))


@pytest.mark.parametrize("version", [None, "4", True, [], 4.0])
def test_what_is_no_version_is_no_obstacle(version):
    assert sources(book(code(), nbformat=version)) == ["x = 1"]


def test_cells_alone_are_a_notebook():
    assert sources({"cells": [{"cell_type": "code", "source": "x = 1"}]}) == ["x = 1"]


# What programs leave in a notebook


def test_a_notebook_of_colab():
    document = {
        "nbformat": 4,
        "nbformat_minor": 0,
        "metadata": {
            "colab": {"provenance": [], "gpuType": "T4", "toc_visible": True},
            "kernelspec": {"name": "python3", "display_name": "Python 3"},
            "language_info": {"name": "python"},
            "accelerator": "GPU",
            "widgets": {"application/vnd.jupyter.widget-state+json": {"abc": {"model_name": "HBoxModel"}}},
        },
        "cells": [
            words() | {"metadata": {"id": "view-in-github", "colab_type": "text"}},
            code(
                ['#@title Embedding { display-mode: "form" }\n', "class A: pass"],
                metadata={
                    "id": "aB",
                    "cellView": "form",
                    "colab": {"base_uri": "https://localhost:8080/"},
                    "tags": ["ex01"],
                },
            ),
        ],
    }
    assert read(document).cells[0].tags == ("ex01",)


def test_a_notebook_of_vs_code():
    document = book(
        code(metadata={"vscode": {"languageId": "python"}, "tags": ["ex01"]}, id="c1"),
        metadata={
            "kernelspec": {"display_name": ".venv (3.12.1)", "language": "python", "name": "python3"},
            "language_info": {
                "name": "python",
                "version": "3.12.1",
                "codemirror_mode": {"name": "ipython", "version": 3},
            },
            "orig_nbformat": 4,
            "vscode": {"interpreter": {"hash": "0"}},
        },
    )
    assert len(read(document).cells) == 1


def test_a_notebook_of_kaggle():
    metadata = {"kaggle": {"accelerator": "gpu", "dataSources": []}, "language_info": {"name": "python"}}
    trusted = {
        "_uuid": "1",
        "trusted": True,
        "execution": {"iopub.status.busy": "2024-01-01T00:00:00Z"},
        "tags": ["ex01"],
    }
    assert len(read(book(code(metadata=trusted), metadata=metadata)).cells) == 1


@pytest.mark.parametrize("ids", [(None, None), ("a", "a"), ("", "has blanks and ünlaut"), (7, [])])
def test_identifiers_of_cells_are_no_matter(ids):
    assert len(read(book(*[code(id=name) for name in ids])).cells) == 2


@pytest.mark.parametrize("widgets", [{}, None, {"application/vnd.jupyter.widget-state+json": {"version_major": 2}}, []])
def test_widget_state_without_its_state_is_no_obstacle(widgets):
    assert sources(book(code(), metadata={**PYTHON, "widgets": widgets})) == ["x = 1"]


@pytest.mark.parametrize("metadata", [None, [], "x", {}, {"kernelspec": None}, {"kernelspec": {"language": ""}}])
def test_metadata_may_be_missing(metadata):
    assert sources(book(code(), metadata=metadata)) == ["x = 1"]
    without = book(code())
    del without["metadata"], without["nbformat_minor"]
    assert sources(without) == ["x = 1"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"language": "R", "name": "ir"}},
        {"language_info": {"name": "julia"}},
        {"kernelspec": {"language": "C#"}, "language_info": {"name": "polyglot-notebook"}},
    ],
)
def test_a_kernel_of_another_language_is_named(metadata):
    [told] = [value for part in metadata.values() for key, value in part.items() if key in ("language", "name")][:1]
    assert f"set to {told}; expected Python" in refusal(book(code(), metadata=metadata))


@pytest.mark.parametrize(
    "metadata",
    [
        {"kernelspec": {"name": "conda-env-x", "language": "python"}},
        {"language_info": {"name": "ipython", "version": "3"}},
        {"kernelspec": {"language": "sage"}, "language_info": {"name": "python"}},
        {"kernelspec": {"language": "Python"}},
    ],
)
def test_kernels_of_python_have_many_names(metadata):
    assert sources(book(code(), metadata=metadata)) == ["x = 1"]


# How a file may be written


def test_bytes_that_mark_the_order_of_bytes():
    text = json.dumps(book(code("x = 'é'")), ensure_ascii=False)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"):
        assert read_notebook(text.encode(encoding)).cells[0].source == "x = 'é'"


@pytest.mark.parametrize("options", [{"indent": 1}, {"indent": 4}, {"separators": (",", ":")}, {"sort_keys": True}])
def test_json_in_every_layout(options):
    assert len(read(book(code(), words()), **options).cells) == 1


def test_lines_of_the_file_that_end_as_on_windows():
    data = json.dumps(book(code(["a = 1\n", "b = 2"])), indent=1).replace("\n", "\r\n").encode()
    assert read_notebook(data).cells[0].source == "a = 1\nb = 2"


def test_a_byte_that_is_no_text_costs_its_place_only():
    data = json.dumps(book(words("M\u00fcller"), code("b = 2")), ensure_ascii=False).encode("latin-1")
    assert read_notebook(data).cells[0].source == "b = 2"


def test_half_characters_and_nul_bytes_can_travel():
    data = json.dumps(book(code("x = '\ud83d'"), code("y = '\0'"), code("z = '😀'"))).encode()
    assert b"\\ud83d" in data
    found = [cell.source for cell in read_notebook(data).cells]
    assert found[1:] == ["y = '\0'", "z = '😀'"]
    "".join(found).encode()


def test_numbers_of_any_size_and_no_numbers_at_all():
    data = json.dumps(book(code(), execution_count=1)).replace(
        '"execution_count": 1', '"n": [%s, NaN, -Infinity, 1e999]'
    )
    assert len(read_notebook((data % ("9" * 10_000)).encode()).cells) == 1


def test_of_a_key_that_stands_twice_the_last_counts():
    data = '{"cells": [], "cells": [{"cell_type": "code", "source": "old", "source": "new"}]}'
    assert read_notebook(data.encode()).cells[0].source == "new"


# What is no notebook


@pytest.mark.parametrize(
    "data", [b"", b" \n", b"\xef\xbb\xbf", b"\0\0\0\0\0\0"], ids=["no byte", "blank", "BOM", "NUL"]
)
def test_an_empty_file(data):
    assert refusal(data).startswith("the file is empty; expected a notebook. Open it in Jupyter")


@pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.77, 0.98])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_that_was_cut(part, indent):
    data = json.dumps(book(*[code(f"x = '{n}'") for n in range(5)], words("é")), indent=indent).encode()
    assert refusal(data[: int(len(data) * part)]).startswith("the file ends in the middle")


@pytest.mark.parametrize(
    "end", [b'{"cells": [1', b'{"cells": tr', b'{"a": "\\u12', b'{"cells": [{}', b'{"a": "\xc3', b"{"]
)
def test_a_file_that_was_cut_within_a_word(end):
    assert refusal(end).startswith("the file ends in the middle")


def test_marks_of_a_merge_conflict():
    lines = json.dumps(book(code("a = 1"), code("b = 2")), indent=1).split("\n")
    lines[9:9] = ["<<<<<<< HEAD", '   "x = 1"', "=======", '   "x = 2"', ">>>>>>> main"]
    assert refusal("\n".join(lines).encode()).startswith("line 10 is a mark of a merge conflict")


def test_marks_of_a_merge_conflict_in_a_cell_are_the_cells_own_matter():
    assert sources(book(code("<<<<<<< HEAD\nx = 1\n=======\n>>>>>>> main"))) == [
        "<<<<<<< HEAD\nx = 1\n=======\n>>>>>>> main"
    ]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\n<!DOCTYPE html>\n<html>", "web page"),
        (b"<html lang='en'>", "web page"),
        (b"https://colab.research.google.com/drive/1AbC", "only a link"),
        (b"[InternetShortcut]\r\nURL=https://colab.research.google.com/", "only a link"),
        (b'{"url": "https://colab.research.google.com/drive/1", "doc_id": "1"}', "only a link"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0", "Git LFS"),
        (b"import torch\nclass A: pass", 'begins with "import torch\\nclass A: pass" and is no notebook'),
        (b"PK\x03\x04\x14\x00", 'begins with "PK'),
        (b"[1, 2]", "JSON but no notebook"),
        (b"null", "JSON but no notebook"),
        (b'"x"', "JSON but no notebook"),
        (b"{}", "JSON without cells"),
        (b'{"cells": {"a": 1}}', "JSON without cells"),
        (b'{"cells": [], "metadata": {}} trailing {}', "line 1 is no longer JSON (Extra data)"),
        (b'{"cells": [,]}', "line 1 is no longer JSON"),
        (b"{'cells': []}", "line 1 is no longer JSON"),
    ],
)
def test_files_of_other_kinds(data, words):
    assert words in refusal(data)


@pytest.mark.parametrize("cells", [[], [words()], [code("  ")], [words("x", "raw")]])
def test_a_notebook_without_code(cells):
    assert "no code cell in Python; expected one for each exercise." in refusal(book(*cells))


def test_why_no_cell_was_read_is_told():
    told = "no code cell in Python (cell 1 was not read: no text in it); expected one for each exercise."
    assert refusal(book(code(source=None))).endswith(told)


# Sizes


def test_fifty_megabytes_of_outputs():
    picture = base64.b64encode(random.Random(0).randbytes(6 << 20)).decode()
    image = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
    numbers = [random.Random(0).random() for _ in range(5_000)] * 100
    plot = {"output_type": "display_data", "metadata": {}, "data": {"application/vnd.plotly.v1+json": {"x": numbers}}}
    stream = {"output_type": "stream", "name": "stdout", "text": ["epoch 1: 100%|█████| 3/3\n"] * 100_000}
    outputs = [image] * 4 + [plot] + [stream]
    data = json.dumps(book(words(), code("a = 1", outputs=outputs), code("b = 2")), ensure_ascii=False).encode()
    assert 45_000_000 < len(data) < 64 << 20
    assert [cell.number for cell in read_notebook(data).cells] == [2, 3]


def test_a_file_beyond_all_bounds(monkeypatch):
    monkeypatch.setattr(json_text, "MAX_BYTES", 3 << 20)
    assert refusal(b" " * (7 << 19)).startswith("the notebook is too large (3.5 MiB); expected 3 MiB at most. Clear")


@pytest.mark.parametrize("unit", ["[],", "{},", "0,", '{"":0},', "[[0]],", '"ab",'])
def test_no_bomb_takes_more_memory_than_there_is(unit):
    bomb = f'{{"cells": [{unit * ((48 << 20) // len(unit))}0]}}'
    assert "more values than can be read" in refusal(bomb.encode())


def test_brackets_within_texts_cost_nothing_but_their_place():
    text = '[{,:\\"\\\\' * (1 << 20)
    assert sources(book(words(text), code("b = 2"))) == ["b = 2"]


def memory(text):
    return json_text._memory(text, json_text._marks(text))


def test_the_estimate_counts_texts_and_what_is_between_them():
    assert memory('{"a\\"[": [1, 2, "}\\\\"]}') - memory('""') > 2 * 80 + 80 + 100 + 160 + 2 * 40 - 81
    assert memory('"' + "[" * 1000 + '"') < 2 * 1100 + 200


def test_so_many_values_and_no_more(monkeypatch):
    def never(*_, **__):
        raise AssertionError

    document = '{"cells": [{"cell_type": "code", "source": "[1,2,3]"}], "o": [%s]}'
    marks = sum(document.count(mark) for mark in ",:[{") - len("[,,")
    monkeypatch.setattr(json_text, "MAX_VALUES", marks + 9)
    assert len(read_notebook((document % ("1," * 9 + "0")).encode()).cells) == 1
    monkeypatch.setattr(json_text.json, "loads", never)
    assert "more values than can be read" in refusal((document % ("1," * 10 + "0")).encode())


@pytest.mark.parametrize(
    "data", [b"[" * 100_000, b'{"a":' * 100_000, b'{"cells": [' + b"[" * 50_000 + b"]" * 50_000 + b"]}"]
)
def test_depth_without_end(data):
    assert "nested too deeply" in refusal(data)


def test_so_many_cells_and_no_more():
    assert len(read(book(*[code()] * MAX_CELLS)).cells) == MAX_CELLS
    assert f"has {MAX_CELLS + 1} code cells" in refusal(book(*[code()] * (MAX_CELLS + 1)))


@pytest.mark.parametrize("cell", [0, None, {}, words(), code("")], ids=["number", "null", "object", "words", "empty"])
def test_cells_without_code_are_counted_before_any_is_looked_at(monkeypatch, cell):
    monkeypatch.setattr(reader, "MAX_PLACES", 3)
    assert len(read(book(code(), cell, cell)).cells) == 1
    monkeypatch.setattr(reader, "_read_cell", None)
    sheets = [{"cells": [cell] * 3}, {"cells": [code()]}]
    for document in (book(code(), *[cell] * 3), {"nbformat": 3, "worksheets": sheets}):
        assert "has 4 cells; expected 3 at most" in refusal(document)


def test_so_much_code_and_no_more():
    assert refusal(book(code("a = 1"), words(), code(f"DATA = '{'é' * 600_000}'"))) == (
        "the code of the notebook is too long (1.2 MB, 1.2 MB of it in cell 3); expected 1 MB at most. "
        "Keep data out of the cells."
    )
    assert reader.MAX_CODE_BYTES == 1_000_000
