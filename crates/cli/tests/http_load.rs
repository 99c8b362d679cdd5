//! An HTTP server under clients that come and go as they like: nothing of them is left behind.
//!
//! Short by itself; `PHASOR_HTTP_LOAD_S=120` has it run for two minutes.
#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Answers in every way there is, and tells what it holds.
const SERVER: &str = r"
const http = require('http');
const { readdirSync } = require('fs');
let served = 0;
const server = http.createServer((request, response) => {
  served++;
  request.on('error', () => {});
  response.on('error', () => {});
  if (request.url === '/stats') {
    server.getConnections((error, connections) => {
      globalThis.gc?.();
      response.end(JSON.stringify([connections, readdirSync('/proc/self/fd').length, process.memoryUsage().rss, served,
        process.getActiveResourcesInfo().length]));
    });
  } else if (request.url === '/quit') {
    response.setHeader('Connection', 'close');
    response.end('bye');
    server.close();
  } else if (request.url === '/slow') {
    setTimeout(() => response.end('slow'), 5);
  } else if (request.url === '/chunks') {
    for (let count = 0; count < 20; count++) response.write('chunk '.repeat(100));
    response.end();
  } else if (request.url === '/large') {
    response.end(Buffer.alloc(1 << 20));
  } else if (request.url === '/body') {
    request.resume();
    request.on('end', () => response.end('taken'));
  } else {
    response.end('hello');
  }
});
server.on('clientError', (error, socket) => socket.destroy());
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
";

const REQUESTS: &[&[u8]] = &[
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /chunks HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789",
    b"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"GARBAGE\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
];

/// A small generator, so that a run can be made again.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

/// One connection: some requests, cut anywhere, answers read or not, and an end of some kind.
fn visit(address: SocketAddr, dice: &mut Dice) -> std::io::Result<()> {
    let mut socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(Duration::from_millis(20)))?;
    socket.set_write_timeout(Some(Duration::from_secs(5)))?;
    let mut buffer = [0; 4096];
    for _ in 0..=dice.roll(4) {
        let request = REQUESTS[dice.roll(REQUESTS.len())];
        let end = if dice.roll(3) == 0 { dice.roll(request.len()) } else { request.len() };
        socket.write_all(&request[..end])?;
        match dice.roll(4) {
            0 => {}
            1 => drop(socket.read(&mut buffer)?),
            _ => while dice.roll(8) != 0 && socket.read(&mut buffer)? > 0 {},
        }
        if end < request.len() {
            break;
        }
    }
    match dice.roll(3) {
        0 => socket.shutdown(Shutdown::Write)?,
        1 => socket.shutdown(Shutdown::Both)?,
        // The drop closes the socket. Unread data turns the close into a reset.
        _ => {}
    }
    Ok(())
}

/// Connections, descriptors, resident bytes, requests served, and what keeps the process alive.
fn stats(address: SocketAddr) -> [u64; 5] {
    let mut socket = TcpStream::connect(address).expect("the server takes connections");
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
    socket.write_all(b"GET /stats HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").expect("the server reads");
    let mut text = String::new();
    socket.read_to_string(&mut text).expect("the server answers");
    let list = text.rsplit("\r\n\r\n").next().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let numbers: Vec<u64> = list.split(',').map(|number| number.parse().expect("numbers")).collect();
    numbers.try_into().expect("five numbers")
}

/// Ends the server however the test ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn visit_for(address: SocketAddr, long: Duration, visits: &AtomicU64) {
    let until = Instant::now() + long;
    std::thread::scope(|scope| {
        for seed in 1..=8u64 {
            scope.spawn(move || {
                let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                while Instant::now() < until {
                    // A connection that the server ends is no failure of the test.
                    let _ = visit(address, &mut dice);
                    visits.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
}

/// Waits until only the asking connection is there, and nothing ends any more: a timer may be on its way still.
fn settled(address: SocketAddr) -> [u64; 5] {
    let until = Instant::now() + Duration::from_secs(30);
    let mut last = stats(address);
    let mut same = 0;
    while same < 5 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
        let now = stats(address);
        let stays = now[0] == 1 && (now[1], now[4]) == (last[1], last[4]);
        same = if stays { same + 1 } else { 0 };
        last = now;
    }
    last
}

#[test]
fn clients_that_come_and_go_leave_nothing_behind() {
    let seconds = std::env::var("PHASOR_HTTP_LOAD_S").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let mut command = Command::new(env!("CARGO_BIN_EXE_phasor"));
    command.args(["--expose-gc", "-e", SERVER]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut server = Server(command.spawn().expect("phasor starts"));
    let mut line = String::new();
    let stdout = server.0.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("the server tells its port");
    let address: SocketAddr = format!("127.0.0.1:{}", line.trim()).parse().expect("a port");

    let visits = AtomicU64::new(0);
    visit_for(address, Duration::from_secs(2), &visits);
    let before = settled(address);
    visit_for(address, Duration::from_secs(seconds), &visits);
    let after = settled(address);
    println!("{} visits, before {before:?}, after {after:?}", visits.load(Ordering::Relaxed));
    assert_eq!((after[0], after[1], after[4]), (1, before[1], before[4]), "connections, descriptors, active resources");
    assert!(after[3] > before[3], "requests were served");
    // The allocators keep some of what they had, but not more with every second: up to 120 MB more than after the start, whether the
    // clients come for four seconds or for twenty.
    assert!(after[2] < before[2] + (120 << 20), "resident bytes: {} became {}", before[2], after[2]);

    let mut socket = TcpStream::connect(address).expect("the server is there");
    socket.write_all(b"GET /quit HTTP/1.1\r\nHost: a\r\n\r\n").expect("the server reads");
    let until = Instant::now() + Duration::from_secs(20);
    let ended = loop {
        match server.0.try_wait().expect("a child") {
            Some(status) => break Some(status),
            None if Instant::now() > until => break None,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    assert!(ended.is_some_and(|status| status.success()), "nothing keeps it alive: {ended:?}");
}
