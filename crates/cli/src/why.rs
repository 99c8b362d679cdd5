//! `phasor why`: what keeps a process alive.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use phasor_lens::agent::{self, Client};
use phasor_lens::json::Json;
use phasor_lens::{WhyLoop, WhyReport};

use crate::child::{self, SIGQUIT, Watcher};
use crate::commands::{Arguments, Failure, Target};
use crate::target;

/// The environment variable that has a program of phasor remember where it makes what keeps it alive.
pub(crate) const STACKS_VARIABLE: &str = "PHASOR_WHY";

/// How long a program does next to nothing before it is examined.
const IDLE_FOR: Duration = Duration::from_secs(2);

/// A process counts as idle if it is idle for at least this share of the time.
const IDLE_SHARE: f64 = 0.98;

/// How often the parent looks whether the program is idle.
const TICK_MS: u64 = 250;

/// The command.
pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode, Failure> {
    let is_json = arguments.take_switch("--json");
    let target = arguments.target()?;
    if let Target::Process(pid) = target {
        let mut client = target::connect(pid)?;
        let text = report(&mut client, is_json).map_err(|error| target::explain_answer(pid, &error))?;
        // A closed pipe is no error.
        let _ = std::io::stdout().write_all(text.as_bytes());
        return Ok(ExitCode::SUCCESS);
    }
    let environment = [(agent::VARIABLE, "1".into()), (STACKS_VARIABLE, "1".into())];
    let Some(mut command) = target.command(&environment)? else { return Ok(ExitCode::SUCCESS) };
    let mut watcher = WhyWatcher { is_json, pid: 0, probe: IdleProbe::new(), is_told: false };
    // Ctrl-\ goes to all processes of the terminal. The program inherits that it is ignored; this process catches it.
    phasor_sys::signal::ignore(SIGQUIT);
    let status = child::watch(&mut command, &mut watcher)
        .map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    Ok(child::exit_code(status))
}

/// Asks a process, and makes the text of its answer.
fn report(client: &mut Client, is_json: bool) -> std::io::Result<String> {
    let answer = client.ask(&Json::object([("ask", "why".into())]))?;
    if is_json {
        return Ok(format!("{answer}\n"));
    }
    let mut text = String::new();
    for (at, json) in answer.get("loops").map(Json::items).unwrap_or_default().iter().enumerate() {
        text.push_str(if at == 0 { "" } else { "\n" });
        text.push_str(&match json.get("blockedMs").and_then(Json::as_f64) {
            Some(ms) => {
                let thread = json.text("thread");
                format!(
                    "The event loop of thread {thread} is blocked for {ms} ms: it runs a callback, and cannot say what keeps it alive.\n"
                )
            }
            None => WhyLoop::from_json(json).to_string(),
        });
    }
    if text.is_empty() {
        text = format!("Process {} has no event loop.\n", WhyReport::from_json(&answer).pid);
    }
    Ok(text)
}

/// Finds out when a program that this one has started becomes idle.
pub(crate) struct IdleProbe {
    client: Option<Client>,
    /// Since when the program is idle, and the idle time of its loops then.
    idle: Option<(Instant, Vec<f64>)>,
}

impl IdleProbe {
    pub(crate) fn new() -> IdleProbe {
        IdleProbe { client: None, idle: None }
    }

    /// The connection to the program, once it has a control socket.
    pub(crate) fn client(&mut self, pid: u32) -> Option<&mut Client> {
        if self.client.is_none() {
            self.client = target::connect_started(pid);
        }
        self.client.as_mut()
    }

    /// Gives up a connection that has failed.
    fn disconnect(&mut self) {
        self.client = None;
    }

    /// The idle time of each loop, in ms.
    fn idle_ms(&mut self, pid: u32) -> Option<Vec<f64>> {
        let answer = self.client(pid)?.ask(&Json::object([("ask", "idle".into())]));
        if answer.is_err() {
            self.disconnect();
        }
        let answer = answer.ok()?;
        let loops = answer.get("loops")?.items();
        Some(loops.iter().map(|each| each.number("idleMs")).collect())
    }

    /// Whether all loops have done next to nothing for [`IDLE_FOR`]. Called every [`TICK_MS`] or more often.
    pub(crate) fn has_become_idle(&mut self, pid: u32) -> bool {
        let Some(idle_ms) = self.idle_ms(pid).filter(|loops| !loops.is_empty()) else { return false };
        let (since, before) = self.idle.get_or_insert_with(|| (Instant::now(), idle_ms.clone()));
        let passed_ms = since.elapsed().as_secs_f64() * 1000.0;
        let is_idle = before.len() == idle_ms.len()
            && before.iter().zip(&idle_ms).all(|(before, now)| now - before >= passed_ms * IDLE_SHARE - TICK_MS as f64);
        if !is_idle {
            self.idle = Some((Instant::now(), idle_ms));
            return false;
        }
        since.elapsed() >= IDLE_FOR
    }
}

/// Examines a program that runs.
struct WhyWatcher {
    is_json: bool,
    pid: u32,
    probe: IdleProbe,
    /// The program was idle and was examined.
    is_told: bool,
}

impl WhyWatcher {
    fn tell(&mut self) {
        let is_json = self.is_json;
        let Some(client) = self.probe.client(self.pid) else {
            crate::print_error("phasor why: the program has no control socket yet\n");
            return;
        };
        match report(client, is_json) {
            Ok(text) if is_json => crate::print_error(&text),
            Ok(text) => crate::print_error(&format!("\n{text}\n")),
            Err(error) => {
                crate::print_error(&format!("phasor why: {error}\n"));
                self.probe.disconnect();
            }
        }
    }
}

impl Watcher for WhyWatcher {
    fn started(&mut self, pid: u32) {
        self.pid = pid;
    }

    fn signal(&mut self, signum: i32) -> bool {
        if signum == SIGQUIT {
            self.tell();
        }
        signum == SIGQUIT
    }

    fn tick_ms(&self) -> u64 {
        if self.is_told { 0 } else { TICK_MS }
    }

    fn tick(&mut self) {
        if !self.is_told && self.probe.has_become_idle(self.pid) {
            self.is_told = true;
            self.tell();
        }
    }
}
