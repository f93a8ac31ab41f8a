//! What the process asks of the system, as strace saw it: no network, no other process, no file that was not named.

use std::fs;
use std::path::Path;
use std::thread;

use crate::support::{VERIFIED, can_start_with, every_command, finish, folder, receipt, shared, started_with, text, verify, workspace};

/// What the loader, the C library and the runtime of Rust read before `main`, and where the system says how many threads may run.
const RUNTIME: [&str; 8] =
    ["/etc/ld.so.", "/lib", "/usr/lib", "/proc/self/maps", "/proc/self/exe", "/proc/self/cgroup", "/proc/self/mountinfo", "/sys/fs/cgroup"];

/// Calls that ask about files and change nothing.
const ASKING: [&str; 11] =
    ["access", "faccessat", "faccessat2", "fstat", "getcwd", "lstat", "newfstatat", "readlink", "readlinkat", "stat", "statx"];

/// A call as strace writes it.
struct Call(String);

impl Call {
    fn name(&self) -> &str {
        self.0.split('(').next().unwrap()
    }

    /// The texts among its arguments: paths, where it is about files.
    fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.split('"').skip(1).step_by(2)
    }

    fn opens_for_reading(&self) -> bool {
        let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND", "O_TMPFILE"];
        matches!(self.name(), "open" | "openat") && self.0.contains("O_RDONLY") && !writes.iter().any(|flag| self.0.contains(flag))
    }

    /// What strace writes as `???` is a thread that the end of the process found waiting, before it had begun a call.
    fn ends(&self) -> bool {
        matches!(self.name(), "exit" | "exit_group" | "???")
    }

    /// Threads share everything with the process; what they do is looked at like everything else.
    fn starts_a_thread(&self) -> bool {
        matches!(self.name(), "clone" | "clone3") && self.0.contains("CLONE_THREAD")
    }

    /// Whether all paths lie at or below one of `places`.
    fn is_within(&self, places: &[&str]) -> bool {
        self.texts().all(|path| {
            path.is_empty()
                || RUNTIME.iter().any(|runtime| path.starts_with(runtime))
                || places.iter().any(|place| Path::new(path).starts_with(place))
        })
    }
}

/// The exit code, and every call about files, the network and processes but the first, which starts the binary. `None` where nothing
/// can be traced.
fn traced(arguments: &[&str]) -> Option<(i32, Vec<Call>)> {
    if !can_start_with(&["strace", "-o", "/dev/null"], "what the process asks of the system was not looked at") {
        return None;
    }
    // A file for each thread, so that no call is cut in two by one of another thread.
    let folder = folder(&format!("traced-{:?}", thread::current().id()));
    let file = folder.join("calls");
    let tool = ["strace", "-ff", "-qq", "-s", "10000", "-e", "trace=%file,%network,%process", "-e", "signal=none", "-o", text(&file)];
    let code = finish(&mut started_with(&tool, arguments), b"").code;
    let files = fs::read_dir(&folder).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let calls: Vec<Call> = files.flat_map(|file| file.lines().map(|line| Call(line.to_owned())).collect::<Vec<_>>()).collect();
    assert_eq!(calls.iter().filter(|call| call.name() == "execve").count(), 1);
    Some((code, calls.into_iter().filter(|call| call.name() != "execve" && !call.ends() && !call.starts_a_thread()).collect()))
}

#[test]
fn every_command_reads_the_files_that_were_named_and_does_nothing_else() {
    for arguments in every_command() {
        let Some((code, calls)) = traced(&arguments) else { return };
        assert_eq!(code, receipt(&arguments).code, "{arguments:?}");
        for call in &calls {
            assert!(call.opens_for_reading() || ASKING.contains(&call.name()), "{arguments:?}: {}", call.0);
            assert!(call.is_within(&arguments), "{arguments:?}: {}", call.0);
        }
        for named in arguments.iter().filter(|argument| workspace().join(argument).is_file()) {
            assert!(calls.iter().any(|call| call.opens_for_reading() && call.texts().any(|path| path == *named)), "{named} was not read");
        }
    }
}

#[test]
fn an_answer_in_a_file_changes_the_folder_of_that_file_alone() {
    let folder = folder("offline-output");
    let [file, page, seal] = ["answer", "page.html", "log.seal"].map(|name| folder.join(name));
    for arguments in every_command() {
        let mut files = vec!["-o", text(&file)];
        if arguments.first() == Some(&"audit") {
            files.extend(["--html", text(&page), "--seal", text(&seal)]);
        }
        let Some((code, calls)) = traced(&[&arguments[..], &files].concat()) else { return };
        assert_eq!(code, receipt(&arguments).code, "{arguments:?}");
        for call in calls.iter().filter(|call| !call.opens_for_reading() && !ASKING.contains(&call.name())) {
            let creates = call.name() == "openat" && call.0.contains("O_CREAT|O_EXCL");
            assert!(creates || ["rename", "renameat", "renameat2", "unlink", "unlinkat"].contains(&call.name()), "{}", call.0);
            assert!(call.texts().all(|path| Path::new(path).parent() == Some(&folder)), "{}", call.0);
        }
    }
    assert!(page.is_file() && seal.is_file(), "no audit was among the commands");
}

#[test]
fn no_receipt_makes_it_open_a_socket_or_write_a_file() {
    let shared = shared().map(|shared| shared.join("receipts"));
    let folders = [Some("test-vectors/receipts"), shared.as_deref().map(text)];
    for folder in folders.into_iter().flatten() {
        let Some((code, calls)) = traced(&["verify", "-q", folder]) else { return };
        assert_eq!(code, 4, "some are invalid");
        assert!(calls.len() > 100, "only {} calls", calls.len());
        let other = calls.iter().find(|call| !call.opens_for_reading() && !ASKING.contains(&call.name()));
        assert!(other.is_none(), "{}", other.unwrap().0);
    }
}

#[test]
fn it_says_the_same_where_there_is_no_network() {
    let why = "nothing was tried without a network";
    let own = ["unshare", "-n"];
    let tool = if std::process::Command::new("unshare").args(["-n", "true"]).output().is_ok_and(|run| run.status.success()) {
        &own[..]
    } else {
        &["unshare", "-r", "-n"]
    };
    if !can_start_with(tool, why) {
        return;
    }
    for arguments in every_command() {
        let (alone, usual) = (finish(&mut started_with(tool, &arguments), b""), receipt(&arguments));
        assert_eq!((alone.code, alone.stdout, alone.stderr), (usual.code, usual.stdout, usual.stderr), "{arguments:?}");
    }
}

#[test]
fn endless_files_are_read_to_the_limit_only() {
    for (code, arguments) in [
        (6, vec!["verify", "/dev/zero"]),
        (6, vec!["inspect", "/dev/zero"]),
        (6, verify(&["--collateral", "/dev/zero", VERIFIED])),
        (6, verify(&["--input", "/dev/zero", VERIFIED])),
        (2, vec!["verify", "--policy", "/dev/zero", VERIFIED]),
        (2, vec!["verify", "--root", "/dev/zero", VERIFIED]),
        (2, vec!["verify", "--tcb-signing-cert", "/dev/zero", VERIFIED]),
        (2, vec!["verify", "--trust-keys", "/dev/zero", VERIFIED]),
        (2, vec!["verify", "--score", "/dev/zero", VERIFIED]),
        (6, vec!["quote", "/dev/zero", "--collateral", "/dev/zero"]),
        (6, vec!["score", "--preset", "classic", "--from", "/dev/zero"]),
        (2, vec!["score", "--params", "/dev/zero", "--value", "1"]),
        (2, vec!["policy", "check", "/dev/zero"]),
    ] {
        let limited = ["sh", "-c", "ulimit -v 1000000 && exec \"$0\" \"$@\""];
        let run = finish(&mut started_with(&limited, &arguments), b"");
        assert_eq!(run.code, code, "{arguments:?}\n{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn a_named_pipe_is_read_like_a_file() {
    let pipe = folder("offline-pipe").join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = {
        let pipe = pipe.clone();
        thread::spawn(move || fs::write(pipe, fs::read(workspace().join(VERIFIED)).unwrap()))
    };
    assert_eq!(receipt(&verify(&[text(&pipe)])).code, 0);
    writer.join().unwrap().unwrap();
}
