"""Tool-info module of Bolide for BenchExec.

Put this folder on PYTHONPATH and write `<benchmark tool=".bolide">` with the dot, or copy it to `benchexec/tools/` and leave
the dot out. Options of `bolide verify` are given as usual:

    <benchmark tool=".bolide" timelimit="900s" memlimit="15 GB" cpuCores="2">
      <rundefinition name="portfolio">
        <option name="--jobs">2</option>
        <option name="--witness">witness.yml</option>
        <propertyfile>../properties/unreach-call.prp</propertyfile>
        <tasks><includesfile>loops.set</includesfile></tasks>
      </rundefinition>
    </benchmark>
"""

import benchexec.result as result
import benchexec.tools.template

# What Bolide keeps back of the limits to give its answer in time.
SECONDS_TO_ANSWER = 2
PART_OF_MEMORY = 0.9


class Tool(benchexec.tools.template.BaseTool2):
    """Bolide: C programs, Horn clauses and circuits by Craig interpolation."""

    def name(self):
        return "Bolide"

    def executable(self, tool_locator):
        return tool_locator.find_executable("bolide", subdir="target/release")

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="bolide")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify", "--no-config", *options]
        file = task.single_input_file
        if str(file).endswith((".c", ".i")):
            if task.property_file:
                command += ["--property", task.property_file]
            model = (task.options or {}).get("data_model") if isinstance(task.options, dict) else None
            if model:
                command += ["--data-model", model]
        seconds = rlimits.walltime or rlimits.cputime
        if seconds and "--timeout" not in options:
            command += ["--timeout", str(max(1, seconds - SECONDS_TO_ANSWER))]
        if rlimits.memory and "--memory" not in options:
            command += ["--memory", str(int(rlimits.memory * PART_OF_MEMORY) // (1024 * 1024))]
        return [*command, file]

    def determine_result(self, run):
        first = next((line.strip() for line in run.output if line.strip()), "")
        if first in ("safe", "sat"):
            return result.RESULT_TRUE_PROP
        if first in ("unsafe", "unsat"):
            return self._violated(run)
        if first.startswith("unknown"):
            reason = first.partition(": ")[2]
            return f"{result.RESULT_UNKNOWN} ({reason})" if reason else result.RESULT_UNKNOWN
        if run.exit_code.value == 64:
            return f"{result.RESULT_ERROR} (usage)"
        if run.exit_code.value == 65:
            return f"{result.RESULT_ERROR} (input)"
        return result.RESULT_ERROR

    def _violated(self, run):
        """The verdict, with the property that the command line asked for."""
        properties = [str(word) for word in run.cmdline if str(word).endswith(".prp")]
        if any("overflow" in name for name in properties):
            return result.RESULT_FALSE_OVERFLOW
        if properties:
            return result.RESULT_FALSE_REACH
        return result.RESULT_FALSE_PROP
