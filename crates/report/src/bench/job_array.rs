//! Runs on several machines: the script of a job array.

/// A run of many tasks in parts.
pub struct JobArray {
    /// The words of the command that runs all of them.
    pub command: Vec<String>,
    /// How many parts there are.
    pub parts: usize,
    /// How many tasks there are.
    pub tasks: usize,
    /// The seconds that a task may take.
    pub timeout: f64,
    /// The memory that a task may need, in MiB.
    pub memory: u64,
    /// How many tasks run at a time on a machine.
    pub jobs: usize,
}

impl JobArray {
    /// A script for Slurm: each element runs a part, and goes on where it was if it is started again.
    pub fn slurm(&self) -> String {
        let JobArray { parts, tasks, .. } = self;
        let jobs = self.jobs.max(1);
        // Every task may need all of its time, and as much again for reading and stopping.
        let minutes = (tasks.div_ceil(*parts) as f64 * (self.timeout + 5.0) / 60.0 / jobs as f64).ceil();
        let memory = self.memory * jobs as u64 + 512;
        let command = self.command.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        format!(
            "#!/bin/sh
# A run of {tasks} tasks in {parts} parts. Submit it with sbatch; submit it again to go on after an interruption.
# When all parts are done:  bolide bench bolide-parts/part-*.csv --csv all.csv
#SBATCH --job-name=bolide
#SBATCH --array=1-{parts}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={jobs}
#SBATCH --mem={memory}M
#SBATCH --time={minutes}
#SBATCH --output=bolide-parts/part-%a.log
mkdir -p bolide-parts
part=${{SLURM_ARRAY_TASK_ID:?this is a job array: submit it with sbatch}}
exec {command} --part \"$part/{parts}\" --csv \"bolide-parts/part-$part.csv\" --resume
"
        )
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("--engine=pdr"), "--engine=pdr");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("$(rm)"), "'$(rm)'");
    }
}
