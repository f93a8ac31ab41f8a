//! Receipts and paths that arrive on standard input, a line each, and many inputs on many threads.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use crate::support::{CUT, REFUTED, VERIFIED, command, folder, receipt, receipt_with_input, text, verify, workspace};

/// A receipt as one line.
fn line(path: &str) -> String {
    let receipt = fs::read_to_string(workspace().join(path)).unwrap();
    receipt.replace('\n', " ")
}

fn reports(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_line_is_a_receipt_and_gets_a_line() {
    let lines = format!("{}\n\nnot JSON\n{}", line(VERIFIED), line(REFUTED));
    let run = receipt_with_input(&verify(&["--format", "jsonl", "-"]), lines.as_bytes());
    let answers: Vec<String> =
        reports(&run.stdout).iter().map(|report| format!("{} {}", report["input"]["name"], report["outcome"])).collect();
    assert_eq!(answers, ["\"-:1\" \"verified\"", "\"-:2\" \"invalid\"", "\"-:3\" \"invalid\"", "\"-:4\" \"invalid\""]);
    assert_eq!(run.code, 4);
    assert!(
        run.stderr.ends_with("4 receipts under policy \"test enclave and image\" (not Intel's anchors): 1 verified, 3 invalid\n"),
        "{}",
        run.stderr
    );

    let one = receipt(&verify(&["--format", "jsonl", VERIFIED])).stdout;
    let streamed = receipt_with_input(&verify(&["--format", "jsonl", "--paths", "-"]), VERIFIED.as_bytes()).stdout;
    assert_eq!(streamed, one);
}

#[test]
fn every_line_is_a_path_with_paths() {
    let paths = format!("{VERIFIED}\nmissing.json\n{CUT}\ntest-vectors\n");
    for format in ["text", "jsonl"] {
        let run = receipt_with_input(&verify(&["--format", format, "--paths", "-"]), paths.as_bytes());
        assert_eq!(run.code, 4);
        let said = run.stdout + &run.stderr;
        assert!(
            said.contains("4 inputs under policy \"test enclave and image\" (not Intel's anchors): 1 verified, 2 missing, 1 invalid"),
            "{said}"
        );
    }
    let run = receipt_with_input(&verify(&["--format", "jsonl", "--paths", "-"]), paths.as_bytes());
    let names: Vec<Value> = reports(&run.stdout).into_iter().map(|mut report| report["input"]["name"].take()).collect();
    assert_eq!(names, [VERIFIED, "missing.json", CUT, "test-vectors"]);
    for wrong in [&["--paths", VERIFIED][..], &["--paths", "-", VERIFIED], &["--paths", "--input", VERIFIED, "-"]] {
        assert_eq!(receipt(&verify(wrong)).code, 2, "{wrong:?}");
    }
}

#[test]
fn a_stream_of_nothing_is_no_success() {
    for arguments in [&["--format", "jsonl", "-"][..], &["--paths", "-"]] {
        let run = receipt_with_input(&verify(arguments), b"");
        assert_eq!(run.code, 2);
        assert!((run.stdout + &run.stderr).contains("0 receipts: nothing was judged"));
    }
}

#[test]
fn a_line_over_the_limit_is_answered_and_the_next_one_too() {
    let long = vec![b' '; 3 * 1024 * 1024];
    let input = [&long[..], b"\n", line(VERIFIED).as_bytes()].concat();
    let run = receipt_with_input(&verify(&["--format", "jsonl", "-"]), &input);
    let reports = reports(&run.stdout);
    assert_eq!(reports.len(), 2);
    assert_eq!(reports[0]["problems"][0]["code"], "limit.exceeded", "{}", reports[0]);
    assert_eq!(reports[1]["outcome"], "verified");
}

#[test]
fn the_answers_are_the_same_on_any_number_of_threads() {
    for format in ["text", "json", "jsonl"] {
        let answer = |jobs: &str| receipt(&verify(&["--format", format, "--jobs", jobs, "test-vectors/runs", "missing.json"]));
        let (one, many) = (answer("1"), answer("5"));
        assert!(one.stdout.len() > 10_000);
        assert_eq!((one.code, one.stdout, one.stderr), (many.code, many.stdout, many.stderr));
    }
    for wrong in ["0", "x", "1025"] {
        assert_eq!(receipt(&verify(&["--jobs", wrong, VERIFIED])).code, 2);
    }
}

/// A process that answers a stream.
struct Stream {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Stream {
    fn new(arguments: &[&str]) -> Self {
        let mut command = command(&verify(arguments));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, stdout: BufReader::new(stdout) }
    }

    fn answer(&mut self, line: &str) -> String {
        writeln!(self.stdin, "{line}").unwrap();
        let mut answer = String::new();
        self.stdout.read_line(&mut answer).unwrap();
        answer
    }
}

/// A peer that waits for each answer before it sends the next line would otherwise wait for ever.
#[test]
fn a_line_is_answered_before_the_next_one_comes() {
    let mut stream = Stream::new(&["--format", "jsonl", "-"]);
    for _ in 0..3 {
        assert!(stream.answer(&line(VERIFIED)).contains("\"verified\""));
    }
    drop(stream.stdin);
    assert_eq!(stream.child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn an_interrupted_answer_says_that_it_is_partial() {
    let folder = folder("interrupted");
    let kept = folder.join("answer.jsonl");
    fs::write(&kept, "as it was").unwrap();
    for output in [&["--format", "jsonl", "-"][..], &["--format", "jsonl", "-", "-o", text(&kept)]] {
        let mut stream = Stream::new(output);
        if output.len() == 3 {
            assert!(stream.answer(&line(VERIFIED)).contains("\"verified\""));
        } else {
            writeln!(stream.stdin, "{}", line(VERIFIED)).unwrap();
            std::thread::sleep(std::time::Duration::from_secs(3));
        }
        let id = stream.child.id().to_string();
        assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let output = stream.child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(6), "{said}");
        assert!(said.contains("1 receipt under policy \"test enclave and image\" (not Intel's anchors): 1 verified\nPARTIAL: "), "{said}");
        drop(stream.stdin);
    }
    assert_eq!(fs::read_to_string(&kept).unwrap(), "as it was");
}
