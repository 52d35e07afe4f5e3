"""Tests of the tool-info module; with a stub where BenchExec is not installed."""

import importlib
import pathlib
import sys
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

try:
    import benchexec.tools.template  # noqa: F401
except ImportError:
    names = ["benchexec", "benchexec.result", "benchexec.tools", "benchexec.tools.template"]
    modules = {name: types.ModuleType(name) for name in names}
    sys.modules.update(modules)
    modules["benchexec"].result = modules["benchexec.result"]
    modules["benchexec"].tools = modules["benchexec.tools"]
    modules["benchexec.tools"].template = modules["benchexec.tools.template"]
    constants = {
        "RESULT_TRUE_PROP": "true",
        "RESULT_FALSE_PROP": "false",
        "RESULT_FALSE_REACH": "false(unreach-call)",
        "RESULT_FALSE_OVERFLOW": "false(no-overflow)",
        "RESULT_UNKNOWN": "unknown",
        "RESULT_ERROR": "ERROR",
    }
    vars(modules["benchexec.result"]).update(constants)
    modules["benchexec.tools.template"].BaseTool2 = type("BaseTool2", (), {})

bolide = importlib.import_module("bolide")


def task(file="loop.c", property_file=None, options=None):
    return types.SimpleNamespace(single_input_file=file, property_file=property_file, options=options)


def limits(cputime=None, walltime=None, memory=None):
    return types.SimpleNamespace(cputime=cputime, walltime=walltime, memory=memory)


def run(*output, code=0, cmdline=()):
    exit_code = types.SimpleNamespace(value=code, signal=None)
    return types.SimpleNamespace(output=list(output), exit_code=exit_code, cmdline=list(cmdline))


class CommandLine(unittest.TestCase):
    def line(self, *arguments):
        return bolide.Tool().cmdline("bolide", *arguments)

    def test_c(self):
        line = self.line(["--jobs", "2"], task("a.c", "p.prp", {"data_model": "ILP32"}), limits(cputime=900))
        self.assertEqual(line[:4], ["bolide", "verify", "--no-config", "--jobs"])
        for pair in (["--property", "p.prp"], ["--data-model", "ILP32"], ["--timeout", "898"]):
            self.assertEqual(line[line.index(pair[0]) + 1], pair[1])
        self.assertEqual(line[-1], "a.c")

    def test_clauses_have_no_property(self):
        line = self.line([], task("a.smt2", "p.prp"), limits(walltime=1, memory=1024 * 1024 * 1000))
        self.assertNotIn("--property", line)
        self.assertEqual(line[line.index("--timeout") + 1], "1")
        self.assertEqual(line[line.index("--memory") + 1], "900")

    def test_options_go_before_limits(self):
        line = self.line(["--timeout", "5"], task(), limits(cputime=900))
        self.assertEqual(line.count("--timeout"), 1)


class Result(unittest.TestCase):
    def test_verdicts(self):
        result = bolide.Tool().determine_result
        self.assertEqual(result(run("safe", "a.c:3:1: invariant x > 0")), "true")
        self.assertEqual(result(run("sat")), "true")
        self.assertEqual(result(run("unsat")), "false")
        self.assertEqual(result(run("unsafe", cmdline=["--property", "x/unreach-call.prp"])), "false(unreach-call)")
        self.assertEqual(result(run("unsafe", cmdline=["--property", "x/no-overflow.prp"])), "false(no-overflow)")
        self.assertEqual(result(run("unknown: timeout", code=2)), "unknown (timeout)")
        self.assertTrue(result(run("a.c:1:1: error: what", code=65)).startswith("ERROR"))
        self.assertTrue(result(run(code=70)).startswith("ERROR"))

    def test_name(self):
        self.assertEqual(bolide.Tool().name(), "Bolide")


if __name__ == "__main__":
    unittest.main()
