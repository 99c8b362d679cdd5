//! The command line: options, code, standard input, and what is printed when something is wrong. Where the text is Node's,
//! it was compared with Node 22's.

use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn phasor(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasor"));
    command.args(args).env_remove("NODE_OPTIONS").env_remove("FORCE_COLOR").env_remove("NODE_NO_WARNINGS");
    command
}

/// The exit code, standard output and standard error.
fn said(output: Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn run(args: &[&str]) -> (i32, String, String) {
    said(phasor(args).output().unwrap())
}

fn run_with_input(args: &[&str], input: &str) -> (i32, String, String) {
    let mut command = phasor(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // Write the input while reading the output: a child whose output pipe is full stops reading its input.
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()).unwrap());
        said(child.wait_with_output().unwrap())
    })
}

/// A folder of its own for a test, gone at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("phasor-command-line-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path.canonicalize().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn code_is_run_and_printed() {
    assert_eq!(run(&["-p", "1 + 1"]), (0, "2\n".into(), String::new()));
    assert_eq!(run(&["-p", "-e", "1 + 1"]).1, "2\n");
    assert_eq!(run(&["-pe", "[1]"]).1, "[ 1 ]\n");
    let code = "console.log(process.argv.slice(1), process.execArgv.length)";
    assert_eq!(run(&["-e", code, "a", "--b"]).1, "[ 'a', '--b' ] 2\n");
    assert_eq!(run(&["--input-type=module", "-e", "console.log(await 5)"]).1, "5\n");
    assert_eq!(
        run(&["-p", "setTimeout(() => console.log('later'), 1); Promise.resolve().then(() => 42)"]).1,
        "later\nPromise { 42 }\n"
    );
    assert_eq!(run(&["-p", "process.exit(3)"]), (3, String::new(), String::new()));
}

#[test]
fn contexts_that_nobody_holds_are_gone() {
    let code = "const vm = require('vm');
        const make = (count) => {
          for (let i = 0; i < count; i++) vm.runInNewContext('var x = i; g = () => x; class A {}; this.a = new A()', { i });
        };
        make(200);
        const before = process.memoryUsage().heapUsed;
        make(1000);
        console.log(process.memoryUsage().heapUsed - before < 16 << 20);";
    assert_eq!(run(&["-e", code]), (0, "true\n".into(), String::new()));
}

#[test]
fn links_are_kept_where_that_is_asked_for() {
    let folder = Folder::new("links");
    let real = folder.file("real.js", "console.log(__filename); if (require.main === module) require('./linked.js')");
    let link = |name: &str| {
        let path = folder.0.join(name);
        std::os::unix::fs::symlink(&real, &path).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (main, linked) = (link("main.js"), link("linked.js"));
    // The same file: it is loaded once.
    assert_eq!(run(&[&main]).1, format!("{real}\n"));
    assert_eq!(run(&["--preserve-symlinks-main", &main]).1, format!("{main}\n{real}\n"));
    assert_eq!(run(&["--preserve-symlinks", &main]).1, format!("{real}\n{linked}\n"));
    let by_variable = phasor(&[&main]).env("NODE_PRESERVE_SYMLINKS", "1").output().unwrap();
    assert_eq!(said(by_variable).1, format!("{real}\n{linked}\n"));
}

#[test]
fn odd_beginnings_of_code() {
    assert_eq!(run(&["-e", "#!x\nconsole.log(1)"]).1, "1\n");
    assert_eq!(run_with_input(&[""], "console.log(__filename)").1, "[stdin]\n");
    let folder = Folder::new("odd-beginnings");
    for text in ["\u{7f}ELF", "\0", " #!x"] {
        let (code, _, errors) = run(&[&folder.file("odd.js", text)]);
        assert_eq!(code, 1);
        assert!(errors.contains("SyntaxError: Invalid or unexpected token"), "{errors}");
    }
}

#[test]
fn the_example_shows_each_phase_as_it_was_walked() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/phases.js");
    let (code, output, errors) = run(&[example]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let wanted = [
        ("●", "timers", "setTimeout, its nextTick, its microtask"),
        ("·", "pending", ""),
        ("●", "idle", ""),
        ("·", "prepare", ""),
        ("●", "poll", "port.on(\"message\")"),
        ("●", "check", "setImmediate"),
        ("●", "closing", "port.on(\"close\")"),
    ];
    assert_eq!(output.lines().count(), wanted.len(), "{output}");
    for (line, (mark, phase, callbacks)) in output.lines().zip(wanted) {
        let (said, ran) = line.split_once("  <- ").unwrap_or((line, ""));
        assert!(said.starts_with(&format!("{mark} {phase} ")), "{line}");
        assert_eq!(ran, callbacks, "{line}");
    }
    assert!(include_str!("../../../README.md").contains(&output), "README.md shows another output of the example");
}

#[test]
fn the_example_of_a_blocked_loop_shows_what_blocks() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/blocked.js");
    let (code, output, errors) = run(&[example]);
    assert_eq!((code, errors.as_str()), (0, ""));
    // On a busy machine everything is late; what blocks is in any case.
    let slow = output.lines().filter(|line| line.starts_with("slow call: parse, ")).count();
    assert!(slow >= 2, "{output}");
    let number = |line: &str, word: &str| -> f64 {
        let from = line.find(word).map_or("", |at| &line[at + word.len()..]);
        from.trim_start().split([' ', ',']).next().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
    };
    let line = |name: &str| output.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    let (idle, blocking) = (line("idle: "), line("blocking: "));
    assert!(number(blocking, "longest") >= 95.0, "{output}");
    assert!(number(idle, "utilization") < number(blocking, "utilization"), "{output}");
    assert!(number(line("in pieces: "), "utilization") > 0.9, "{output}");
}

#[test]
fn the_example_of_load_shedding_refuses_what_is_too_much() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/load_shedding.js");
    let (code, output, errors) = run(&[example]);
    assert_eq!((code, errors.as_str()), (0, ""));
    let count = |kind: &str| -> u32 {
        let line = output.lines().find_map(|line| line.strip_prefix(kind)).unwrap_or_default();
        line.split(',').next().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    };
    assert_eq!(count("taken: ") + count("refused: "), 400, "{output}");
    assert!(count("refused: ") > 0, "{output}");
}

#[test]
fn the_loop_tells_what_it_walks() {
    let code = "import loop, { walked, watch } from 'phasor:loop'; import { builtinModules, isBuiltin } from 'module';
        console.log(loop.walked === walked, builtinModules.includes('phasor:loop'), isBuiltin('phasor:loop'));
        watch();
        await new Promise((done) => setTimeout(done, 20));
        const noted = walked();
        console.log(noted.at(-1).phase, noted.at(-1).events, noted.some((n) => n.phase === 'poll' && n.waitedMs > 5));
        watch(false);
        await new Promise(setImmediate);
        console.log(walked().length === noted.length);
        try { watch(1) } catch (e) { console.log(e.code) }";
    let (code, output, errors) = run(&["--input-type=module", "-e", code]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(output, "true false true\ntimers 1 true\ntrue\nERR_INVALID_ARG_TYPE\n");
}

#[test]
fn a_program_comes_from_standard_input() {
    let program = "console.log(process.argv.slice(1), __filename, require.main === module)";
    assert_eq!(run_with_input(&["-", "a"], program).1, "[ '-', 'a' ] [stdin] false\n");
    assert_eq!(run_with_input(&[], "console.log(1)").1, "1\n");
    let (code, _, errors) = run_with_input(&[], "throw new Error('x')");
    assert_eq!(code, 1);
    assert!(errors.starts_with("[stdin]:1\nthrow new Error('x')\n^\n\nError: x\n    at "), "{errors}");
}

#[test]
fn wrong_options_are_told_in_nodes_words() {
    let program = env!("CARGO_BIN_EXE_phasor");
    for (args, message) in [
        (&["--bogus"][..], "bad option: --bogus"),
        (&["--enable-source-map", "x.js"], "bad option: --enable-source-map (did you mean --enable-source-maps?)"),
        (&["--inspect=0", "x.js"], "--inspect is a Node flag that Phasor does not have"),
        (&["--harmony"], "--harmony is a V8 flag that Phasor does not have"),
        (&["--no-title"], "--no-title is an invalid negation because it is not a boolean option"),
        (&["-x"], "bad option: -x"),
        (&["-e"], "-e requires an argument"),
        (&["--title"], "--title requires an argument"),
        (&["--unhandled-rejections=zz", "-e", "1"], "invalid value for --unhandled-rejections"),
        (
            &["--dns-result-order=x", "-e", "1"],
            "The argument '--dns-result-order' must be one of: 'verbatim', 'ipv4first', 'ipv6first'. Received 'x'",
        ),
        (&["--check", "-e", "1"], "either --check or --eval can be used, not both"),
    ] {
        assert_eq!(run(args), (9, String::new(), format!("{program}: {message}\n")));
    }
    let refused = said(phasor(&["-p", "1"]).env("NODE_OPTIONS", "--version").output().unwrap());
    assert_eq!(refused, (9, String::new(), format!("{program}: --version is not allowed in NODE_OPTIONS\n")));
}

#[test]
fn flags_of_the_environment_that_only_node_has_are_warned_of() {
    let with = |name: &str, value: &str, args: &[&str]| said(phasor(args).env(name, value).output().unwrap());
    let warning = "phasor: warning: ignoring --inspect, --tls-keylog in NODE_OPTIONS: Phasor does not have the flags\n";
    let options = "--inspect=0 --tls-keylog /none --inspect --title=t";
    assert_eq!(with("NODE_OPTIONS", options, &["-p", "process.title"]), (0, "t\n".into(), warning.into()));
    let silent = (0, "1\n".to_owned(), String::new());
    assert_eq!(with("NODE_OPTIONS", "--no-addons --no-warnings", &["-p", "1"]), silent);
    let refused = with("NODE_OPTIONS", "--foo", &["-p", "1"]);
    assert_eq!((refused.0, refused.2.ends_with(": --foo is not allowed in NODE_OPTIONS\n")), (9, true));
    // Threads read the variable as well.
    let worker = "const { Worker } = require('worker_threads');
        const start = (NODE_OPTIONS) => {
          try { new Worker('', { eval: true, env: { NODE_OPTIONS } }).on('exit', console.log); } catch (error) { console.log(error.code); }
        };
        start('--foo'); start('--inspect --v8-pool-size=2');";
    assert_eq!(run(&["-e", worker]), (0, "ERR_WORKER_INVALID_EXEC_ARGV\n0\n".into(), String::new()));
    let coverage = "phasor: warning: NODE_V8_COVERAGE is set, but Phasor collects no coverage\n";
    let folder = Folder::new("coverage");
    let path = folder.0.join("none");
    assert_eq!(with("NODE_V8_COVERAGE", path.to_str().unwrap(), &["-p", "1"]), (0, "1\n".into(), coverage.into()));
    assert!(!path.exists());
    assert_eq!(with("NODE_V8_COVERAGE", "", &["-p", "1"]), silent);
    assert_eq!(
        run(&["-p", "const { takeCoverage, stopCoverage } = v8; [takeCoverage, stopCoverage]"]).1,
        "[ undefined, undefined ]\n"
    );
}

#[test]
fn flags_of_v8_that_are_set_later_are_refused_once() {
    let code = "for (const flag of ['--no-opt', '--no_opt', '--expose-gc']) v8.setFlagsFromString(flag); vm.runInNewContext('typeof gc')";
    let (code, output, errors) = run(&["-p", code]);
    assert_eq!((code, output.as_str()), (0, "function\n"));
    assert!(
        errors.contains(" Warning: v8.setFlagsFromString() ignores --no-opt: Phasor does not run on V8\n"),
        "{errors}"
    );
    assert_eq!(errors.matches("ignores").count(), 1, "{errors}");
}

#[test]
fn the_environment_may_be_invalid_utf8() {
    let bytes = |bytes: &[u8]| std::ffi::OsString::from_vec(bytes.to_vec());
    let with =
        |options: &[u8]| said(phasor(&["-p", "process.title"]).env("NODE_OPTIONS", bytes(options)).output().unwrap());
    assert_eq!(with(b"--title=a\xff"), (0, "a\u{fffd}\n".to_owned(), String::new()));
    let refused = with(b"--\xff=1");
    assert_eq!(
        (refused.0, refused.2.ends_with(": --\u{fffd}= is not allowed in NODE_OPTIONS\n")),
        (9, true),
        "{refused:?}"
    );
}

#[test]
fn shells_complete_and_the_man_page_is_roff() {
    let (code, script, _) = run(&["--completion-bash"]);
    assert_eq!(code, 0);
    let complete = |words: &[&str]| {
        let count = words.len();
        let text = format!(
            "{script}\ncompopt() {{ :; }}\nCOMP_WORDS=({}); COMP_CWORD={}; _phasor_complete; echo \"${{COMPREPLY[*]}}\"",
            words.join(" "),
            count - 1
        );
        said(Command::new("bash").args(["-c", &text]).output().unwrap())
    };
    for (words, wanted) in [
        (&["phasor", "--dns"][..], "--dns-result-order="),
        (&["phasor", "--dns-result-order", "=", "ip"], "ipv4first ipv6first"),
        (&["phasor", "--input-type", "=", "module-"], "module-typescript"),
        (&["phasor", "--no-warn"], "--no-warnings"),
        (&["phasor", "-r", "/et"], "/etc"),
    ] {
        assert_eq!(complete(words), (0, format!("{wanted}\n"), String::new()), "{words:?}");
    }
    let folder = Folder::new("completion");
    let file = folder.file("with spaces.js", "");
    let text = format!(
        "{script}\ncompopt() {{ :; }}\nCOMP_WORDS=(phasor '{}'); COMP_CWORD=1; _phasor_complete; printf '%s|' \"${{COMPREPLY[@]}}\"",
        file.trim_end_matches(" spaces.js")
    );
    assert_eq!(said(Command::new("bash").args(["-c", &text]).output().unwrap()).1, format!("{file}|"));
    // Shells that are not everywhere check the syntax where they are.
    for shell in ["zsh", "fish"] {
        let text = run(&[&format!("--completion-{shell}")]).1;
        assert!(text.contains("dns-result-order") && text.contains("phasor"), "{text}");
        let Ok(mut child) = Command::new(shell).arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn() else {
            continue;
        };
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert_eq!(said(child.wait_with_output().unwrap()), (0, String::new(), String::new()), "{shell}");
    }
    let (code, page, _) = run(&["--man"]);
    assert_eq!(code, 0);
    assert!(page.starts_with(".\\\" Made by `phasor --man`.\n.TH PHASOR 1 "), "{page}");
    let Ok(mut child) =
        Command::new("mandoc").args(["-T", "lint"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    else {
        return;
    };
    child.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    assert_eq!(said(child.wait_with_output().unwrap()), (0, String::new(), String::new()));
}

#[test]
fn options_have_their_effects() {
    assert_eq!(run(&["--title=abc", "-p", "process.title"]).1, "abc\n");
    let titled = said(
        phasor(&["-p", "[process.title, process.execArgv.length]"])
            .env("NODE_OPTIONS", "\"--title=a b\"")
            .output()
            .unwrap(),
    );
    assert_eq!(titled.1, "[ 'a b', 2 ]\n");
    assert_eq!(run(&["--expose-gc", "-p", "typeof gc"]).1, "function\n");
    let internal = "typeof require('internal/validators').validateString";
    assert_eq!(run(&["--expose-internals", "-p", internal]).1, "function\n");
    assert_ne!(run(&["-p", internal]).0, 0);
    let bound = "const { internalBinding: of } = require('internal/test/binding'); [of('uv').UV_EOF, of('uv') === process.binding('uv')]";
    let (_, output, warning) = run(&["--expose-internals", "-p", bound]);
    assert_eq!(output, "[ -4095, true ]\n");
    assert!(warning.contains("internal/test/binding: These APIs are for internal testing only. Do not use them."));
    assert_ne!(run(&["-p", bound]).0, 0);
    let absent =
        "try { require('internal/test/binding').internalBinding('x') } catch (error) { error.message + error.code }";
    assert_eq!(run(&["--expose-internals", "-p", absent]).1, "No such binding: xERR_INVALID_MODULE\n");
    let folder = Folder::new("effects");
    let preloaded = folder.file("a.js", "globalThis.before = 7;");
    let variables = folder.file(".env", "PHASOR_TEST_A=one\nPHASOR_TEST_B='two three'\n");
    assert_eq!(run(&["-r", &preloaded, "-p", "before"]).1, "7\n");
    let code = "process.env.PHASOR_TEST_A + process.env.PHASOR_TEST_B";
    assert_eq!(run(&[&format!("--env-file={variables}"), "-p", code]).1, "onetwo three\n");
    let others = folder.file("others", "PHASOR_TEST_A=other\n");
    let both = [format!("--env-file={variables}"), format!("--env-file-if-exists={others}")];
    assert_eq!(run(&[&both[0], &both[1], "-p", code]).1, "othertwo three\n");
    assert_eq!(run(&[&both[1], &both[0], "-p", code]).1, "onetwo three\n");
    let none = "none not found. Continuing without it.\n";
    assert_eq!(run(&["--env-file-if-exists=none", "-p", "1"]), (0, "1\n".into(), none.into()));
    let stays = said(phasor(&[&both[0], "-p", code]).env("PHASOR_TEST_A", "own").output().unwrap());
    assert_eq!(stays.1, "owntwo three\n");
    assert_eq!(run(&["--experimental-require-module", "-p", "1"]).1, "1\n");
    assert_eq!(run(&["--no-experimental-require-module", "-p", "1"]).0, 9);
    assert_eq!(run(&["--version"]).0, 0);
    assert!(run(&["--help"]).1.contains("Examples:"));
}

#[test]
fn scripts_of_packages_are_run_by_the_shell() {
    let folder = Folder::new("package");
    let scripts = r#"{ "a": "echo", "env": "echo $NODE_RUN_SCRIPT_NAME $PATH; pwd", "fails": "exit 7", "none": 5 }"#;
    let file = folder.file("package.json", &format!("{{ \"scripts\": {scripts} }}"));
    let below = folder.0.join("below");
    for programs in ["node_modules/.bin", "below/node_modules/.bin"] {
        std::fs::create_dir_all(folder.0.join(programs)).unwrap();
    }
    let run_in = |args: &[&str]| said(phasor(args).current_dir(&below).env("PATH", "/bin").output().unwrap());
    let root = folder.0.to_str().unwrap();
    assert_eq!(
        run_in(&["--run", "a", "--", "x", "y  z", "it's", "$HOME"]),
        (0, "x y  z it's $HOME\n".into(), String::new())
    );
    assert_eq!(run_in(&["--run=a", "unheard"]).1, "\n");
    let seen = format!("env {root}/below/node_modules/.bin:{root}/node_modules/.bin:/bin\n{root}\n");
    assert_eq!(run_in(&["--run", "env"]).1, seen);
    assert_eq!(run_in(&["--run", "fails"]), (1, String::new(), String::new()));
    let not_text = format!("Script \"none\" is unexpectedly not a string for {file}\n\n");
    assert_eq!(run_in(&["--run", "none"]), (1, String::new(), not_text));
    let (code, _, errors) = run_in(&["--run", "missing"]);
    assert_eq!(code, 1);
    assert!(
        errors.starts_with(&format!("Missing script: \"missing\" for {file}\n\nAvailable scripts are:\n  a: echo\n"))
    );
    std::fs::write(&file, "{}").unwrap();
    assert_eq!(run_in(&["--run", "a"]).2, format!("Can't find \"scripts\" field in {file}\n"));
    std::fs::write(&file, "{").unwrap();
    assert_eq!(run_in(&["--run", "a"]).2, format!("Can't parse {file}\n"));
}

#[test]
fn a_missing_file_is_a_missing_module() {
    let (code, output, errors) = run(&["/nowhere/at-all.js"]);
    assert_eq!((code, output.as_str()), (1, ""));
    assert!(errors.starts_with(
        "node:internal/modules/cjs/loader:1433\n  throw err;\n  ^\n\nError: Cannot find module '/nowhere/at-all.js'\n"
    ), "{errors}");
    assert!(
        errors.ends_with(
            "{\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nPhasor v0.1.0 (Node.js v22.23.3 compatible)\n"
        ),
        "{errors}"
    );
}

#[test]
fn errors_show_their_line() {
    let folder = Folder::new("errors");
    let thrown = folder.file("thrown.js", "function f() {\n  throw new TypeError('bad');\n}\nf();\n");
    let (code, _, errors) = run(&[&thrown]);
    assert_eq!(code, 1);
    let head = format!("{thrown}:2\n  throw new TypeError('bad');\n  ^\n\nTypeError: bad\n    at f ({thrown}:2:");
    assert!(errors.starts_with(&head), "{errors}");
    assert!(errors.contains(&format!("\n    at Object.<anonymous> ({thrown}:4:1)\n")), "{errors}");
    assert!(errors.ends_with("\n\nPhasor v0.1.0 (Node.js v22.23.3 compatible)\n"), "{errors}");
    for (name, flags) in
        [("wrong.js", &[][..]), ("wrong.mjs", &[]), ("wrong.cjs", &["--check"]), ("wrong2.mjs", &["--check"])]
    {
        let wrong = folder.file(name, "let a = ;\n");
        let (code, _, errors) = run(&[flags, &[&wrong]].concat());
        assert_eq!(code, 1);
        assert!(errors.contains(&format!("{wrong}:1\nlet a = ;\n        ^\n\nSyntaxError: ")), "{errors}");
    }
    assert!(run(&["--trace-uncaught", &thrown]).2.contains("\nThrown at:\n    at f "));
}

/// Node's text as well, but for where its own frames are.
#[test]
fn odd_things_thrown_are_told_whole() {
    let (code, _, errors) = run(&["-e", "throw new AggregateError([new Error('one'), 2], 'all')"]);
    assert_eq!(code, 1);
    assert!(errors.contains("\nAggregateError: all\n    at "), "{errors}");
    assert!(errors.contains(" {\n  [errors]: [\n    Error: one\n        at "), "{errors}");
    assert!(errors.contains(",\n    2\n  ]\n}\n\nPhasor v"), "{errors}");

    let (code, _, errors) = run(&["-e", "Promise.reject(1)"]);
    assert_eq!(code, 1);
    assert!(errors.contains("^\n\nUnhandledPromiseRejection: This error originated either by"), "{errors}");
    assert!(errors.contains("with the reason \"1\".\n    at "), "{errors}");
    assert!(errors.contains(" {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n\nPhasor v"), "{errors}");

    let untold = "\n(Use `phasor --trace-uncaught ...` to show where the exception was thrown)\n\nPhasor v";
    let code = "const e = new Error('q'); Object.defineProperty(e, 'stack', { get() { throw 1; } }); throw e";
    let (code, _, errors) = run(&["-e", code]);
    assert_eq!(code, 1);
    assert!(errors.contains(&format!("\nError: q{untold}")), "{errors}");
    let (code, _, errors) = run(&["-e", "throw { get stack() { throw 1; } }"]);
    assert_eq!(code, 1);
    assert!(errors.contains(&format!("\n[object Object]{untold}")), "{errors}");
}

#[test]
fn a_full_disk_is_told_in_the_words_of_fs() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let code = "process.stdout.on('error', (e) => console.error(e.message)).write('x')";
    let (code, _, errors) = said(phasor(&["-e", code]).stdout(full.try_clone().unwrap()).output().unwrap());
    assert_eq!((code, errors.as_str()), (0, "ENOSPC: no space left on device, write\n"));
    // As Node, these flags do not report the error.
    for flag in ["--help", "--version"] {
        let told = said(phasor(&[flag]).stdout(full.try_clone().unwrap()).output().unwrap());
        assert_eq!(told, (0, String::new(), String::new()), "{flag}");
    }
}

#[test]
fn what_is_no_error_is_shown_where_it_was_thrown() {
    let folder = Folder::new("thrown");
    let tail = "\n\nPhasor v0.1.0 (Node.js v22.23.3 compatible)\n";
    let hint = "\n(Use `phasor --trace-uncaught ...` to show where the exception was thrown)";
    for (code, line, caret, text) in [
        ("throw 42", 1, "^", format!("42{hint}")),
        ("function f() {\n  throw null;\n}\nf()", 2, "  ^", format!("null{hint}")),
        ("setTimeout(() => { throw 'text' })", 1, "                   ^", format!("text{hint}")),
        ("throw { a: 1 }", 1, "^", "{ a: 1 }".to_owned()),
    ] {
        let file = folder.file("thrown.js", code);
        let source = code.lines().nth(line - 1).unwrap();
        let wanted = format!("\n{file}:{line}\n{source}\n{caret}\n{text}{tail}");
        assert_eq!(run(&[&file]), (1, String::new(), wanted), "{code}");
    }
    let (code, _, told) = run(&["-e", "Promise.reject([1])"]);
    assert_eq!(code, 1);
    assert!(
        told.contains("      new UnhandledPromiseRejection(reason);\n      ^\n\nUnhandledPromiseRejection: This"),
        "{told}"
    );
    assert!(told.contains("with the reason \"[object Array]\".\n"), "{told}");
    assert!(told.contains(" {\n  code: 'ERR_UNHANDLED_REJECTION'\n}\n"), "{told}");
}

#[test]
fn what_cannot_be_read_is_marked() {
    let folder = Folder::new("syntax");
    for (code, mark, message) in [
        ("let a b", "      ^", "Unexpected identifier 'b'"),
        ("if (x) else", "       ^^^^", "Unexpected token 'else'"),
        ("\"abc", "^^^^", "Invalid or unexpected token"),
        ("const a", "      ^", "Missing initializer in const declaration"),
        ("foo(", "    ", "Unexpected end of input"),
        ("break", "^^^^^", "Illegal break statement"),
        ("class { }", "      ^", "Unexpected token '{'"),
        ("let a;\nlet a", "    ^", "Identifier 'a' has already been declared"),
    ] {
        let file = folder.file("syntax.cjs", code);
        let line = code.lines().count();
        let source = code.lines().last().unwrap();
        let (exit, _, told) = run(&[&file]);
        let wanted = format!("{file}:{line}\n{source}\n{mark}\n\nSyntaxError: {message}\n");
        assert!(exit == 1 && told.starts_with(&wanted), "{code}: {told}");
    }
}

#[test]
fn modules_are_imported_before_the_script() {
    let folder = Folder::new("import");
    let first = "globalThis.first = 1; await new Promise((done) => setTimeout(done, 5)); console.log('imported')";
    let first = folder.file("first.mjs", first);
    let second = folder.file("second.cjs", "console.log('required', typeof first)");
    let main = folder.file("main.js", "console.log('main', first)");
    let (code, printed, told) = run(&["--import", &first, "-r", &second, &main]);
    assert_eq!((code, printed.as_str()), (0, "required undefined\nimported\nmain 1\n"), "{told}");
    assert_eq!(run(&["-p", "typeof fs.realpathSync.native + path.basename('/a/b')"]).1, "functionb\n");
    assert_eq!(run(&["-p", "typeof crypto.createHash"]).1, "function\n");
    assert_eq!(run(&["-p", "const crypto = 1; crypto"]).1, "1\n");
    assert_eq!(run(&["--input-type=module", "-e", "console.log(typeof crypto.createHash)"]).1, "undefined\n");
    assert_eq!(run(&["--import", &first, "-p", "first"]).1, "imported\n1\n");
    let (code, _, told) = run(&["--import", "./there-is-none.mjs", &main]);
    assert_eq!(code, 1);
    assert!(told.contains("Error [ERR_MODULE_NOT_FOUND]: Cannot find module '"), "{told}");
}

#[test]
fn a_prompt_that_is_asked_for_reads_any_input() {
    let typed = "1+1\nfunction f() {\nreturn 7 }\nf()\nthrow new Error('q')\nawait 5\nvar )\n\"abc";
    let (code, printed, told) = run_with_input(&["-i"], typed);
    let (_, printed) = printed.split_once("\nType \".help\" for more information.\n").unwrap();
    let wanted = "> 2\n> ... undefined\n> 7\n> Uncaught Error: q\n> 5\n> var )\n    ^\n\nUncaught SyntaxError: Unexpected token ')'\n\
                  > \"abc\n^^^^\n\nUncaught SyntaxError: Invalid or unexpected token\n> ";
    assert_eq!((code, printed, told.as_str()), (0, wanted, ""));
    let (_, printed, _) = run_with_input(&["-i", "-e", "var a = 5"], "a\n");
    assert!(printed.ends_with("> 5\n> "), "{printed}");
}

#[test]
fn checking_runs_nothing() {
    let folder = Folder::new("checking");
    for (name, text) in [
        ("a.js", "#!/usr/bin/env phasor\nconsole.log('ran')\n"),
        ("a.mjs", "import './nowhere.mjs';\nawait 1;\nconsole.log('ran')\n"),
        ("a.ts", "const a: number = 1;\nconsole.log('ran')\n"),
    ] {
        assert_eq!(run(&["--check", &folder.file(name, text)]), (0, String::new(), String::new()), "{name}");
    }
    assert_eq!(run_with_input(&["--check"], "console.log('ran')"), (0, String::new(), String::new()));
    let module = "import './nowhere.mjs'";
    assert_eq!(run_with_input(&["-c", "--input-type=module", "-"], module), (0, String::new(), String::new()));
    for text in ["var a b", "export const a = 1"] {
        let (code, printed, errors) = run_with_input(&["-c", "-"], text);
        assert_eq!((code, printed.as_str()), (1, ""));
        assert!(errors.contains(&format!("[stdin]:1\n{text}\n")) && errors.contains("SyntaxError"), "{errors}");
    }
}

#[test]
fn typescript_that_cannot_be_blanked_is_shown() {
    let folder = Folder::new("typescript");
    let file = folder.file("a.ts", "let a: string;\nclass A { constructor(private x: number) {} }\n");
    for args in [&[file.as_str()][..], &["--check", file.as_str()][..]] {
        let (code, printed, errors) = run(args);
        let wanted = format!(
            "{file}:2\nclass A {{ constructor(private x: number) {{}} }}\n{}^^^^^^^^^\n\nSyntaxError \
             [ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX]: TypeScript parameter property is not supported in strip-only mode\n",
            " ".repeat(30)
        );
        assert_eq!((code, printed.as_str()), (1, ""));
        assert!(errors.starts_with(&wanted), "{errors}");
    }
}

#[test]
fn warnings_are_printed_as_node_prints_them() {
    let code = "process.emitWarning('one', { type: 'Kind', code: 'C1', detail: 'more' }); process.emitWarning('two')";
    let (_, _, errors) = run(&["-e", code]);
    let (pid, _) = errors.strip_prefix("(node:").and_then(|rest| rest.split_once(')')).unwrap();
    assert_eq!(
        errors,
        format!(
            "(node:{pid}) [C1] Kind: one\nmore\n(Use `phasor --trace-warnings ...` to show where the warning was created)\n\
         (node:{pid}) Warning: two\n"
        )
    );
    assert_eq!(run(&["--no-warnings", "-e", code]).2, "");
    assert!(!run(&["--disable-warning=C1", "-e", code]).2.contains("one"));
    assert!(run(&["--trace-warnings", "-e", code]).2.contains("Warning: two\n    at "));
    let file = Folder::new("warnings").0.join("told");
    let redirected = phasor(&["-e", code]).env("NODE_REDIRECT_WARNINGS", &file).output().unwrap();
    assert!(said(redirected).2.contains("Warning: two"), "the folder is gone");
    let folder = Folder::new("told");
    let option = format!("--redirect-warnings={}", folder.0.join("told").display());
    assert_eq!(run(&[&option, "-e", code]), (0, String::new(), String::new()));
    assert!(std::fs::read_to_string(folder.0.join("told")).unwrap().ends_with("Warning: two\n"));
}

/// The builtins that a start loads, sorted. Each costs time at every start.
const START: &[&str] = &[
    "console",
    "events",
    "internal/bootstrap",
    "internal/channels",
    "internal/console",
    "internal/errors",
    "internal/main",
    "internal/modules/cjs",
    "internal/modules/cjs_resolve",
    "internal/modules/engine",
    "internal/modules/package",
    "internal/modules/read",
    "internal/primordials",
    "internal/process/env",
    "internal/process/env_handler",
    "internal/scheduler",
    "internal/scheduler/immediates",
    "internal/scheduler/list_heap",
    "internal/scheduler/rejections",
    "internal/scheduler/state",
    "internal/scheduler/ticks",
    "internal/scheduler/timers",
    "internal/scheduler/trace",
    "internal/stack",
    "internal/validators",
    "process",
    "timers",
];

#[test]
fn a_start_loads_what_it_must_and_no_more() {
    let folder = Folder::new("start");
    let script = "console.log('hello'); console.log(process.moduleLoadList.join().replaceAll('NativeModule ', ''))";
    let (_, printed, errors) = run(&[&folder.file("a.js", script)]);
    let mut loaded: Vec<_> = printed.trim().rsplit('\n').next().unwrap_or(&errors).split(',').collect();
    loaded.sort();
    assert_eq!(loaded, START);
}

#[test]
fn as_many_descriptors_as_may_be() {
    let script =
        "require('fs').readFileSync('/proc/self/limits', 'utf8').match(/Max open files +(\\d+) +(\\d+)/).slice(1, 3)";
    let command = format!("ulimit -Sn 64; exec {} -p \"{script}.join()\"", env!("CARGO_BIN_EXE_phasor"));
    let (code, printed, errors) = said(Command::new("sh").args(["-c", &command]).output().unwrap());
    let (soft, hard) = printed.trim().split_once(',').unwrap_or_else(|| panic!("{code} {errors}"));
    assert_eq!(soft, hard);
}

#[test]
fn memory_and_stack_have_limits() {
    let (code, _, errors) =
        run(&["--max-old-space-size=20", "-e", "const a = []; for (;;) try { a.push({ a }) } catch {}"]);
    assert_eq!(code, 134);
    assert_eq!(errors, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n");
    assert_eq!(
        run(&["--max-old-space-size=20", "-p", "for (let i = 0; i < 1e5; i++) { const a = {}; a.a = a } 1"]).1,
        "1\n"
    );
    let deep = "function f() { return f() + 1 } try { f() } catch (e) { `${e instanceof RangeError} ${e.message}` }";
    assert_eq!(run(&["-p", deep]).1, "true Maximum call stack size exceeded\n");
    assert_eq!(run(&["--stack-size=200", "-p", deep]).1, "true Maximum call stack size exceeded\n");
}

#[test]
fn standard_input_is_read_to_its_end() {
    let text = "héllo\n".repeat(40_000);
    let count = "let n = 0; process.stdin.setEncoding('utf8'); \
        process.stdin.on('data', (d) => { n += d.length }).on('end', () => console.log(n))";
    assert_eq!(run_with_input(&["-e", count], &text).1, "240000\n");
    let iterate = "(async () => { let n = 0; for await (const d of process.stdin) n += d.length; console.log(n) })()";
    assert_eq!(run_with_input(&["-e", iterate], &text).1, format!("{}\n", text.len()));
    assert_eq!(run_with_input(&["-e", "process.stdin.pipe(process.stdout)"], &text).1, text);
    let folder = Folder::new("input");
    let file = folder.file("input", &text);
    for code in [count, iterate] {
        let output = said(phasor(&["-e", code]).stdin(std::fs::File::open(&file).unwrap()).output().unwrap());
        assert!(output.1 == "240000\n" || output.1 == format!("{}\n", text.len()), "{output:?}");
    }
    // Standard input without a reader does not keep the process alive.
    assert_eq!(run_with_input(&["-e", "process.stdin; console.log(1)"], "").1, "1\n");
}

#[test]
fn output_to_a_closed_pipe_is_an_error_and_no_death() {
    let code = "process.stdout.on('error', (e) => { process.stderr.write(e.code); process.exit(3) });\
        setInterval(() => process.stdout.write('x'.repeat(65536)), 1)";
    let mut child = phasor(&["-e", code]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(said(child.wait_with_output().unwrap()), (3, String::new(), "EPIPE".into()));
}

/// Waits for the end of a child, with a limit.
fn end_of(child: &mut Child) -> std::process::ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_endless_loop_can_be_interrupted() {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    // Even if the parent process ignores the signal, as a shell does for background commands.
    let script =
        format!("trap '' INT; exec '{}' -e \"console.log('x'); while (true) {{}}\"", env!("CARGO_BIN_EXE_phasor"));
    let mut child = Command::new("sh").args(["-c", &script]).stdout(Stdio::piped()).spawn().unwrap();
    // Wait for the first byte of the output: the endless loop comes right after it.
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    // The shell's own `kill`: a minimal Debian has no program of that name.
    let interrupted = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().unwrap();
    assert!(interrupted.success());
    assert_eq!(end_of(&mut child).signal(), Some(2));
}

#[test]
fn a_bad_option_that_nobody_can_be_told_of_has_its_exit_code() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    assert_eq!(phasor(&["--no-such-option"]).stderr(full).status().unwrap().code(), Some(9));
}

#[test]
fn code_runs_in_a_directory_that_is_gone() {
    let folder = Folder::new("gone");
    let inside = folder.0.join("inside");
    std::fs::create_dir(&inside).unwrap();
    let first = folder.file("first.js", "console.log('first')");
    // The shell is in it when it goes.
    let script = format!(
        "cd '{0}' && rmdir '{0}' && exec '{1}' -r '{first}' -e 'try {{ process.cwd() }} catch (e) {{ console.log(e.message) }}'",
        inside.display(),
        env!("CARGO_BIN_EXE_phasor")
    );
    let (code, out, errors) = said(Command::new("sh").arg("-c").arg(script).output().unwrap());
    assert_eq!((code, out.as_str()), (0, "first\nENOENT: no such file or directory, uv_cwd\n"), "{errors}");
}

/// Without free descriptors, `require` of a file throws the same error as `fs.openSync`.
#[test]
fn a_module_that_cannot_be_read_is_an_error_of_open() {
    let folder = Folder::new("unread");
    let module = folder.file("m.js", "");
    let main = folder.file(
        "main.js",
        "const fs = require('fs');
         try { for (;;) fs.openSync('/dev/null'); } catch {}
         try { require('./m.js'); } catch ({ code, syscall, path }) { console.log(code, syscall, path); }",
    );
    let script = format!("ulimit -n 64 && exec '{}' '{main}'", env!("CARGO_BIN_EXE_phasor"));
    let (_, out, errors) = said(Command::new("sh").arg("-c").arg(script).output().unwrap());
    assert_eq!(out, format!("EMFILE open {module}\n"), "{errors}");
}

#[test]
fn tls_can_be_required_and_refuses_when_it_is_used() {
    let script = "
        const https = require('https'), http2 = require('http2'), tls = require('tls');
        const agent = new https.Agent({ keepAlive: true });
        console.log(process.features.tls, agent.protocol, agent.defaultPort, {} instanceof tls.TLSSocket);
        const tries = [
          () => https.get('https://127.0.0.1:1/'), () => https.createServer(), () => tls.connect(1), () => new tls.TLSSocket().end('x'),
          () => require('http').get('https://127.0.0.1:1/', { agent }), () => http2.connect('http://127.0.0.1:1/'),
          () => http2.createServer(),
        ];
        const told = (error) => console.log(error.code);
        for (const attempt of tries) try { attempt().on('error', told); } catch (error) { told(error); }";
    let refusals = "ERR_NO_CRYPTO\n".repeat(7);
    assert_eq!(run(&["-e", script]), (0, format!("false https: 443 false\n{refusals}"), String::new()));
}

/// In Node this detaches the pool of buffers together with the chunk, and small buffers fail afterwards.
#[test]
fn a_byte_stream_leaves_the_pool_of_buffers_where_it_is() {
    let script = "
        (async () => {
          const pull = (controller) => { controller.enqueue(Buffer.from('abc')); controller.close(); };
          for await (const chunk of new ReadableStream({ type: 'bytes', pull })) console.log(chunk);
          const reader = new ReadableStream({ type: 'bytes' }).getReader({ mode: 'byob' });
          await reader.read(Buffer.from('xyz')).catch((error) => console.log(error.message));
          console.log(Buffer.from('is there').toString());
        })();";
    let printed = "Uint8Array(3) [ 97, 98, 99 ]\nCannot transfer object of unsupported type.\nis there\n";
    assert_eq!(run(&["-e", script]), (0, printed.to_owned(), String::new()));
}
