//! Many inputs, judged side by side and answered in their order, with bounded memory, progress for people, and a way to stop.

use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::args::EffortArgs;
use crate::exit;
use crate::inputs::Failure;

/// Whether somebody asked to stop.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// How often a wait for standard input looks whether somebody asked to stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// How many inputs a thread gets before answers are shown. More of them keep threads busy, fewer keep memory small.
const SHARE: usize = 24;

/// Something that inputs come from, one after the other.
pub(crate) enum Inputs<T> {
    /// All are known.
    Listed(std::vec::IntoIter<T>),
    /// They arrive.
    Arriving(Receiver<T>),
}

impl<T: Send> Inputs<T> {
    /// What `make` makes of the number of each line of standard input, from 1, and of its bytes without the line end, of which at
    /// most `limit` and one more are kept. So many as `ahead` says are read before they are asked for.
    pub(crate) fn lines(ahead: usize, limit: usize, make: impl Fn(usize, io::Result<Vec<u8>>) -> T + Send + 'static) -> Self
    where
        T: 'static,
    {
        let (sender, receiver) = sync_channel(ahead);
        thread::spawn(move || send_lines(io::stdin().lock(), limit, &make, &sender));
        Self::Arriving(receiver)
    }

    /// The next inputs, at most `count`: as many as are there.
    fn ready(&mut self, count: usize) -> Vec<T> {
        match self {
            Self::Listed(inputs) => inputs.take(count).collect(),
            Self::Arriving(receiver) => receiver.try_iter().take(count).collect(),
        }
    }

    /// The next inputs, at most `count`: as many as are there, at least one unless there are no more or somebody asked to stop.
    fn next(&mut self, count: usize) -> Vec<T> {
        let mut inputs = Vec::new();
        if let Self::Arriving(receiver) = self {
            inputs.push(loop {
                match receiver.recv_timeout(PATIENCE) {
                    Ok(input) => break input,
                    Err(RecvTimeoutError::Timeout) if !is_interrupted() => {}
                    Err(_) => return inputs,
                }
            });
        }
        inputs.extend(self.ready(count - inputs.len()));
        inputs
    }
}

/// Sends what `make` makes of each line, until there are no more or nobody listens.
fn send_lines<T>(mut source: impl BufRead, limit: usize, make: &impl Fn(usize, io::Result<Vec<u8>>) -> T, sender: &SyncSender<T>) {
    for number in 1.. {
        let line = match next_line(&mut source, limit) {
            Ok(None) => return,
            Ok(Some(line)) => Ok(line),
            Err(error) => Err(error),
        };
        let is_broken = line.is_err();
        if sender.send(make(number, line)).is_err() || is_broken {
            return;
        }
    }
}

/// The next line without its end; of what is longer than `limit`, one byte more is kept and the rest is passed over.
fn next_line(source: &mut impl BufRead, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let bound = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(2);
    if source.by_ref().take(bound).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    match line.last() {
        Some(b'\n') => drop(line.pop()),
        _ if line.len() > limit => drop(source.skip_until(b'\n')?),
        _ => {}
    }
    line.truncate(limit.saturating_add(1));
    Ok(Some(line))
}

/// Judges inputs on a number of threads.
pub(crate) struct Engine {
    /// None for one thread: this one.
    pool: Option<ThreadPool>,
    threads: usize,
    progress: ProgressBar,
}

impl Engine {
    /// An engine of `jobs` threads, or one for each processor. Progress on `total` inputs, where that is known, is shown to people
    /// who look at a terminal, unless they do not want it.
    pub(crate) fn new(effort: &EffortArgs, total: Option<usize>) -> Result<Self, Failure> {
        let most = total.unwrap_or(usize::MAX);
        // How many processors there are is asked of several files.
        let available = || if most > 1 { thread::available_parallelism().map_or(1, usize::from) } else { 1 };
        let failed = |error: rayon::ThreadPoolBuildError| Failure {
            word: "INTERNAL",
            message: format!("threads cannot be started: {error}"),
            exit_code: exit::INTERNAL,
        };
        let threads = effort.jobs.map_or_else(available, usize::from).min(most).max(1);
        let pool = match threads {
            1 => None,
            _ => Some(rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(failed)?),
        };
        let is_watched = !effort.no_progress && total != Some(1) && io::stderr().is_terminal() && std::env::var_os("CI").is_none();
        let target = if is_watched { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let (progress, template) = match total {
            Some(total) => {
                let total = u64::try_from(total).unwrap_or(u64::MAX);
                (ProgressBar::with_draw_target(Some(total), target), "{pos} of {len}, {per_sec}, {eta} left")
            }
            None => (ProgressBar::with_draw_target(None, target), "{pos}, {per_sec}"),
        };
        progress.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        if total != Some(1) {
            heed_interruptions();
        }
        Ok(Self { pool, threads, progress })
    }

    /// How many inputs are judged side by side before they are shown.
    pub(crate) const fn share(&self) -> usize {
        self.threads.saturating_mul(SHARE)
    }

    /// Shows what `judge` answers to every input, in their order. Returns whether there was an end: false where somebody asked to
    /// stop before.
    ///
    /// A share is shown while the next one is judged; where there is none yet, at once, because who sends inputs may wait for it.
    pub(crate) fn run<T: Send + Sync, A: Send>(
        &self,
        mut inputs: Inputs<T>,
        judge: impl Fn(&T) -> A + Sync,
        mut show: impl FnMut(&T, A),
    ) -> bool {
        let mut show = |judged: &mut Vec<(T, A)>| {
            self.progress.inc(u64::try_from(judged.len()).unwrap_or_default());
            self.progress.suspend(|| judged.drain(..).for_each(|(input, answer)| show(&input, answer)));
        };
        let mut judged = Vec::new();
        let mut share = inputs.next(self.share());
        while !share.is_empty() && !is_interrupted() {
            let mut next = Vec::new();
            let answers = self.judge(&share, &judge, || {
                show(&mut judged);
                next = inputs.ready(self.share());
            });
            judged.extend(share.into_iter().zip(answers));
            if next.is_empty() {
                show(&mut judged);
                next = inputs.next(self.share());
            }
            share = next;
        }
        show(&mut judged);
        self.progress.finish_and_clear();
        !is_interrupted()
    }

    /// What `judge` answers to a share, and `meanwhile` done beside it.
    fn judge<T: Sync, A: Send>(&self, share: &[T], judge: &(impl Fn(&T) -> A + Sync), meanwhile: impl FnOnce()) -> Vec<A> {
        match &self.pool {
            Some(pool) if share.len() > 1 => {
                let mut answers = Vec::new();
                pool.in_place_scope(|scope| {
                    scope.spawn(|_| answers = share.par_iter().map(judge).collect());
                    meanwhile();
                });
                answers
            }
            _ => {
                meanwhile();
                share.iter().map(judge).collect()
            }
        }
    }
}

/// From now on the first interruption lets the answers that are being made be shown, with a summary; the second one ends the process.
fn heed_interruptions() {
    // Without a handler an interruption ends the process at once, which is no worse than before.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    });
}

fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_one_byte_after_the_limit() {
        let mut source = &b"ab\n\nabcd\nabcde\nabcdef\nabcdefg\nlast"[..];
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut source, 4).unwrap() {
            lines.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(lines, ["ab", "", "abcd", "abcde", "abcde", "abcde", "last"]);
        assert_eq!(next_line(&mut source, 4).unwrap(), None);
    }

    #[test]
    fn answers_come_in_the_order_of_the_inputs() {
        for jobs in [1, 3] {
            let engine = Engine::new(&EffortArgs { jobs: Some(jobs), no_progress: true }, Some(1000)).unwrap();
            let mut shown = Vec::new();
            let ended =
                engine.run(Inputs::Listed((0..1000_u64).collect::<Vec<_>>().into_iter()), |n| n * 2, |n, answer| shown.push((*n, answer)));
            assert!(ended);
            assert_eq!(shown, (0..1000).map(|n| (n, n * 2)).collect::<Vec<_>>());
        }
    }
}
