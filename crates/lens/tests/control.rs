//! The control socket of this process: what it answers, and that strangers cannot disturb it.
#![forbid(unsafe_code)]

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use phasor_core::{Event, Face, Kind, Loop, Observer, ObserverId, RunMode};
use phasor_lens::agent::{self, Client};
use phasor_lens::json::Json;
use phasor_lens::registry::{self, FrontEnd};
use phasor_lens::{Recorder, Recording, WhyLoop};

struct Plain;

impl Face for Plain {
    type Handle = ();
    type Request = ();
    type Bytes = Vec<u8>;
}

struct PlainFrontEnd<'a>(&'a mut Loop<Plain>, &'a mut Option<ObserverId>);

impl FrontEnd for PlainFrontEnd<'_> {
    fn why(&mut self) -> WhyLoop {
        WhyLoop::of_loop(self.0)
    }

    fn record(&mut self, recorder: Option<Rc<Recorder>>) {
        if let Some(id) = self.1.take() {
            self.0.remove_observer(id);
        }
        *self.1 = recorder.map(|recorder| self.0.add_observer(recorder.observer()));
    }

    fn add_observer(&mut self, observer: Box<dyn Observer>) -> ObserverId {
        self.0.add_observer(observer)
    }

    fn remove_observer(&mut self, id: ObserverId) {
        self.0.remove_observer(id);
    }

    fn handles(&mut self) -> Vec<(Kind, bool)> {
        registry::handles_of(self.0)
    }
}

/// Runs a loop until the sender is dropped; each value that it gets blocks the loop until the value is dropped.
fn run_loop(blocks: Receiver<Receiver<()>>) {
    let mut core = Loop::<Plain>::new().unwrap();
    let registration = registry::register("main", core.remote());
    let timer = core.timer_open(());
    core.timer_start(timer, 1, 1).unwrap();
    let mut recording = None;
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            Event::Attention => registration.serve(&mut PlainFrontEnd(&mut core, &mut recording)),
            Event::Timer(timer) => match blocks.try_recv() {
                Ok(block) => drop(block.recv()),
                Err(std::sync::mpsc::TryRecvError::Empty) => {}
                Err(_) => core.close(timer).unwrap(),
            },
            _ => {}
        }
    }
}

fn ask(client: &mut Client, what: &str) -> Json {
    client.ask(&Json::object([("ask", what.into())])).unwrap()
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// One test: the socket belongs to the process.
#[test]
fn the_socket_answers_its_user_whatever_else_is_sent_to_it() {
    let (blocks, blocked) = channel();
    let thread = std::thread::spawn(move || run_loop(blocked));
    let path = agent::start("test 1").unwrap();
    assert_eq!(agent::start("again").unwrap(), path);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let mut client = Client::connect(&path).unwrap();
    let info = ask(&mut client, "info");
    assert_eq!((info.text("runtime"), info.number("pid")), ("test 1", f64::from(std::process::id())));

    until("the loop is registered and says why it is alive", || {
        ask(&mut client, "why")
            .get("loops")
            .unwrap()
            .items()
            .first()
            .is_some_and(|main| main.get("entries").unwrap().items()[0].text("kind") == "timer")
    });
    until("the loop is observed", || {
        let stats = ask(&mut client, "stats");
        stats.get("loops").unwrap().items()[0].number("turns") > 10.0
    });

    // A blocked loop does not answer, and the tool says for how long.
    let (go, block) = channel();
    blocks.send(block).unwrap();
    until("the loop is blocked", || {
        let why = ask(&mut client, "why");
        why.get("loops").unwrap().items()[0].number("blockedMs") >= 500.0
    });
    let stats = ask(&mut client, "stats");
    let main = &stats.get("loops").unwrap().items()[0];
    assert_eq!(main.get("current").unwrap().items()[0].as_str(), Some("timer"));
    drop(go);
    until("the loop goes on", || ask(&mut client, "why").get("loops").unwrap().items()[0].get("entries").is_some());

    record(&mut client);
    disturb(&path);
    assert_eq!(ask(&mut client, "ping"), Json::object([]));
    drop(client);
    drop(blocks);
    thread.join().unwrap();
    assert!(registry::loops().is_empty());
    agent::end();
    assert!(!path.exists() && Client::connect(&path).is_err());
}

fn record(client: &mut Client) {
    let file = std::env::temp_dir().join(format!("phasor-control-{}.phasor", std::process::id()));
    let request = |config: String| Json::object([("ask", "record".into()), ("config", config.into())]);
    assert!(client.ask(&request("path=/nowhere/at/all".into())).unwrap_err().to_string().contains("/nowhere/at/all"));
    assert!(client.ask(&request("detail=7".into())).is_err());
    client.ask(&request(format!("path={}", file.display()))).unwrap();
    assert!(client.ask(&request(format!("path={}", file.display()))).unwrap_err().to_string().contains("already"));
    until("there are records", || file.metadata().is_ok_and(|found| found.len() > 10_000));
    assert_eq!(ask(client, "stop").text("path"), file.to_str().unwrap());
    let recording = Recording::read(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(recording.is_complete && recording.process.runtime == "test 1");
    assert!(recording.threads[&1].info.name == "main" && recording.threads[&1].records.len() > 100);
    assert!(
        client
            .ask(&Json::object([("ask", "stop".into())]))
            .unwrap_err()
            .to_string()
            .contains("nothing is being recorded")
    );
}

/// Garbage, a line without an end, requests whose answers are not read, and a flood of connections.
fn disturb(path: &PathBuf) {
    let connect = || {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    };
    let mut answer = String::new();
    let mut garbage = connect();
    garbage.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    garbage.read_to_string(&mut answer).unwrap();
    assert!(
        answer.starts_with("{\"error\":\"") && answer.ends_with("\"}\n") && answer.lines().count() == 1,
        "{answer}"
    );
    let mut endless = connect();
    let sent = (0..10_000).find(|_| endless.write_all(&[b'{'; 4096]).is_err());
    assert!(sent.is_some_and(|count| count < 1000), "{sent:?}");
    let mut deaf = connect();
    let sent = (0..100_000).find(|_| deaf.write_all(b"{\"ask\":\"info\"}\n").is_err());
    assert!(sent.is_some());
    drop(deaf);
    until("connections end", || {
        let mut flood: Vec<_> = (0..40).filter_map(|_| UnixStream::connect(path).ok()).collect();
        // Those over the limit are closed.
        flood.iter_mut().any(|stream| {
            stream.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
            matches!(stream.read(&mut [0]), Ok(0))
        })
    });
    until("the flood has gone", || {
        Client::connect(path).is_ok_and(|mut client| client.ask(&Json::object([("ask", "ping".into())])).is_ok())
    });
}
