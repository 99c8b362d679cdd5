//! The queues under many thread schedules: messages arrive in order, no wakeup is lost, and the other end learns of a
//! close.

use shuttle::sync::Condvar;
use shuttle::thread;

use super::*;

const SCHEDULES: usize = 2_000;

/// Stands in for a sleeping loop.
#[derive(Default)]
struct Gate {
    rung: Mutex<bool>,
    opens: Condvar,
}

impl Gate {
    /// Sleeps until [`Wake::wake`] was called since the last call. If a wakeup is lost, shuttle reports a deadlock.
    fn pass(&self) {
        let mut rung = self.rung.lock().unwrap();
        while !*rung {
            rung = self.opens.wait(rung).unwrap();
        }
        *rung = false;
    }
}

impl Wake for Arc<Gate> {
    fn wake(&self) {
        *self.rung.lock().unwrap() = true;
        self.opens.notify_one();
    }
}

fn message(text: &str) -> Message {
    Message::of_texts(&[text])
}

fn number(message: &Message) -> String {
    message.texts().concat()
}

/// Receives messages until the other end closes, at most three per wakeup, like a loop with other work.
fn receive(end: &PortEnd) -> Vec<String> {
    let gate = Arc::new(Gate::default());
    end.set_owner(Arc::new(gate.clone()));
    let mut heard = Vec::new();
    loop {
        gate.pass();
        for _ in 0..3 {
            match end.take_if(|_| true).map(Envelope::into_message) {
                Some(Some((message, _))) => heard.push(number(&message)),
                Some(None) => return heard,
                None => break,
            }
        }
        end.wake_if_queued();
    }
}

#[test]
fn shuttle_messages_arrive_in_order_before_the_close() {
    shuttle::check_random(
        || {
            let (one, other) = PortEnd::pair();
            let sender = thread::spawn(move || {
                for text in ["1", "2", "3", "4", "5"] {
                    assert!(one.post(message(text), Vec::new()));
                }
            });
            assert_eq!(receive(&other), ["1", "2", "3", "4", "5"]);
            sender.join().unwrap();
            assert!(!other.post(message("unread"), Vec::new()));
        },
        SCHEDULES,
    );
}

#[test]
fn shuttle_an_end_moves_between_threads_while_others_post() {
    shuttle::check_random(
        || {
            let (one, other) = PortEnd::pair();
            let (carrier, receiver) = PortEnd::pair();
            let sender = thread::spawn(move || {
                for text in ["1", "2", "3"] {
                    one.post(message(text), Vec::new());
                }
            });
            let mover = thread::spawn(move || {
                let gate = Arc::new(Gate::default());
                other.set_owner(Arc::new(gate));
                other.disown();
                carrier.post(message("port"), vec![other]);
            });
            let gate = Arc::new(Gate::default());
            receiver.set_owner(Arc::new(gate.clone()));
            let moved = loop {
                gate.pass();
                if let Some(Envelope::Message(_, mut ports)) = receiver.take_if(|_| true) {
                    break ports.remove(0);
                }
            };
            assert_eq!(receive(&moved), ["1", "2", "3"]);
            sender.join().unwrap();
            mover.join().unwrap();
        },
        SCHEDULES,
    );
}

#[test]
fn shuttle_two_ends_closed_at_once_free_everything() {
    shuttle::check_random(
        || {
            let (one, other) = PortEnd::pair();
            let weak = Arc::downgrade(&one.inner);
            // An end that was sent to a port that closes must be closed as well.
            let (kept, sent) = PortEnd::pair();
            let leaver = thread::spawn(move || drop(one));
            other.post(message("perhaps"), vec![sent]);
            drop(other);
            leaver.join().unwrap();
            assert!(weak.upgrade().is_none());
            assert!(receive(&kept).is_empty());
        },
        SCHEDULES,
    );
}
