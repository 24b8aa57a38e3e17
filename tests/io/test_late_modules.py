"""Imports that commands do without: in a process of their own, since they change what imports do."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest


def run(code: str) -> str:
    begun = "import sys\nfrom attar.io.late_modules import hide_from, load_late\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", begun], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_an_import_loads_nothing_and_a_use_all():
    assert (
        run("""
            load_late("json")
            import json
            print("json.decoder" in sys.modules, end=" ")
            print(json.loads("[1]"), json.loads is sys.modules["json"].loads, json.decoder.JSONDecoder().decode("2"))
        """)
        == "False [1] True 2"
    )


def test_names_taken_out_of_it():
    assert run('load_late("json")\nfrom json import loads\nprint(loads("[1]"))') == "[1]"
    assert run('load_late("json")\nfrom json import *\nprint(loads("[1]"))') == "[1]"


def test_a_part_of_a_package_without_the_package():
    code = """
        load_late("scipy.stats")
        print("scipy" in sys.modules)
        import scipy.stats
        print("scipy.stats._mgc" in sys.modules)
    """
    assert run(code).split() == ["False", "False"]
    assert (
        run('load_late("scipy.stats")\nimport scipy.stats\nprint(scipy.stats.rankdata([3, 1, 2]).tolist())')
        == "[3.0, 1.0, 2.0]"
    )


def test_what_a_module_does_not_have():
    code = """
        load_late("json")
        import json
        print(hasattr(json, "__wrapped__"), "json.decoder" in sys.modules, hasattr(json, "no"))
    """
    assert run(code) == "False False False"


def test_modules_that_are_loaded_or_not_there_stay_as_they_are():
    assert run('import json\nload_late("json")\nprint(type(json).__name__)') == "module"
    assert (
        run('load_late("no_such_module")\nload_late("no_such_module.part")\nprint("no_such_module" in sys.modules)')
        == "False"
    )


def test_several_threads_at_once():
    assert (
        run("""
            from concurrent.futures import ThreadPoolExecutor
            load_late("json")
            import json
            with ThreadPoolExecutor(8) as pool:
                print(sum(pool.map(lambda n: json.loads(str(n)), range(100))))
        """)
        == "4950"
    )


def test_a_module_hidden_from_another_is_there_for_all_others(tmp_path):
    (tmp_path / "asks.py").write_text("try:\n    import json\nexcept ImportError:\n    json = None\n")
    code = f"""
        sys.path.insert(0, {str(tmp_path)!r})
        hide_from("asks", "json")
        import asks
        print(asks.json, "json" in sys.modules)
        import json
        print(json.loads("1"))
        import importlib
        print(importlib.reload(asks).json is json)
    """
    assert run(code).splitlines() == ["None False", "1", "True"]


def test_a_command_does_not_mind_a_library_that_it_does_not_need(tmp_path):
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas/__init__.py").write_text("raise ImportError('numpy.core.multiarray failed to import')\n")
    (tmp_path / "texts.txt").write_text("A cat sat.\nA dog ran.\n")
    code = f"""
        sys.path.insert(0, {str(tmp_path)!r})
        from attar.cli import main
        sys.argv = ["attar", "index", {str(tmp_path / "texts.txt")!r}, "-o", {str(tmp_path / "index")!r}]
        main()
    """
    run(code)
    assert (tmp_path / "index/index.json").exists()


@pytest.mark.parametrize("name", ["pandas", "scipy.stats"])
def test_a_short_command_does_without(name, tmp_path):
    pytest.importorskip(name)
    (tmp_path / "texts.txt").write_text("A cat sat.\n")
    code = f"""
        from attar.cli import main
        sys.argv = ["attar", "encode", {str(tmp_path / "texts.txt")!r}, "-o", {str(tmp_path / "vectors.npy")!r}]
        main()
        print(any(module.startswith("{name}.") for module in sys.modules))
    """
    assert run(code) == "False"
