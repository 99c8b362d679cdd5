//! Tests that inserting the newest timer late (`Timers::latest`) cannot be observed: random scripts on two copies of
//! the lists.

use super::*;

/// Two copies of the lists. The first inserts each timer at once, as Node does; the second inserts the newest timer
/// late.
#[derive(Default)]
struct Copies {
    timers: [Timers; 2],
    now_ms: u64,
    count: u32,
    random: u64,
}

impl Copies {
    /// A pseudo-random number below `below`.
    fn draw(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % below
    }

    /// Applies an operation to both copies and asserts that the results are equal.
    fn both<R: PartialEq + std::fmt::Debug>(&mut self, mut act: impl FnMut(&mut Timers) -> R) -> R {
        let [first, second] = &mut self.timers;
        let answer = act(first);
        first.insert_latest();
        assert_eq!(act(second), answer);
        answer
    }

    /// A random operation that a script could do.
    fn act(&mut self) {
        let (now_ms, ms) = (self.now_ms, 1 + self.draw(4) as i32);
        let kind = if self.count == 0 { 0 } else { self.draw(8) };
        let place = self.draw(u64::from(self.count.max(1))) as Place;
        match kind {
            0..3 => {
                let (place, _) = self.both(|timers| {
                    let place = timers.add(Timer { idle_ms: ms, ..Timer::NEW });
                    (place, timers.insert(place, now_ms))
                });
                self.count = self.count.max(place + 1);
            }
            3..6 => self.both(|timers| timers.cancel(place)),
            6 => self.both(|timers| timers.set_ref(place, ms % 2 == 0)),
            _ => {
                self.both(|timers| {
                    (timers.timer(place).idle_ms >= 0).then(|| {
                        timers.revive(place);
                        timers.insert(place, now_ms)
                    })
                });
            }
        }
    }

    /// A pass as in `run_timers`, with random operations in each callback.
    fn pass(&mut self) {
        let now_ms = self.now_ms;
        self.both(|timers| timers.in_pass = true);
        while let Some(list) = self.both(|timers| {
            timers
                .first_list()
                .filter(|list| timers.expiry_ms(*list) <= now_ms)
                .map(|list| timers.lists[list as usize].ms)
        }) {
            while let Some(place) = self.both(|timers| {
                let list = *timers.by_ms.get(&list)?;
                timers.due_head(list, timers.made(list), now_ms)
            }) {
                self.both(|timers| timers.unlink(place));
                for _ in 0..self.draw(3) {
                    self.act();
                }
                self.both(|timers| {
                    if timers.timer(place).list == NO {
                        timers.end(place);
                    }
                });
            }
        }
        self.both(|timers| {
            timers.in_pass = false;
            timers.next_expiry_ms = timers.first_expiry_ms().unwrap_or(u64::MAX);
            (timers.next_expiry_ms, timers.ref_count(), timers.heap.len())
        });
    }
}

#[test]
fn late_insertion_of_the_newest_timer_is_not_observable() {
    for seed in 0..500 {
        let mut copies = Copies { random: seed, now_ms: 1000, ..Copies::default() };
        for _ in 0..60 {
            match copies.draw(6) {
                0 => copies.now_ms += copies.draw(4),
                1 => copies.pass(),
                _ => copies.act(),
            }
        }
    }
}
