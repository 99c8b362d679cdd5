//! The phases and callbacks of a recording are those of the loop, as another observer sees them.

use std::cell::RefCell;
use std::rc::Rc;

use phasor_core::{Event, EventKind, Face, HandleId, Loop, ObservedEvent, Observer, Phase, RunMode};
use phasor_lens::{CallbackKind, Config, Recording, Session, Trace, callback_kind};

struct Plain;

impl Face for Plain {
    type Handle = ();
    type Request = ();
    type Bytes = Vec<u8>;
}

/// What the loop says: phases in which a callback ran, and the kinds of their callbacks.
type Told = Vec<(Phase, Vec<EventKind>)>;

/// Notes what the loop does.
#[derive(Clone, Default)]
struct Notes(Rc<RefCell<Told>>);

impl Observer for Notes {
    fn phase_begin(&mut self, phase: Phase) {
        self.0.borrow_mut().push((phase, Vec::new()));
    }

    fn callback_begin(&mut self, callback: ObservedEvent) {
        let mut told = self.0.borrow_mut();
        let (phase, kinds) = told.last_mut().expect("a phase has begun");
        assert_eq!(*phase, callback.phase);
        kinds.push(callback.kind);
    }
}

#[test]
fn a_recording_has_the_phases_and_callbacks_of_the_loop() {
    let path = std::env::temp_dir().join(format!("phasor-phases-{}.phasor", std::process::id()));
    let session = Session::start(Config::new(&path)).unwrap();
    let recorder = Rc::new(session.recorder("main", 0));
    let notes = Notes::default();
    let mut core = Loop::<Plain>::new().unwrap();
    core.add_observer(recorder.observer());
    core.add_observer(Box::new(notes.clone()));

    let timers: Vec<HandleId> = (1..4)
        .map(|ms| {
            let timer = core.timer_open(());
            core.timer_start(timer, ms, ms).unwrap();
            timer
        })
        .collect();
    let (idle, prepare, check) = (core.idle_open(()), core.prepare_open(()), core.check_open(()));
    core.prepare_start(prepare).unwrap();
    core.check_start(check).unwrap();
    let (wake, sender) = core.async_open(());
    core.work(move || sender.send(), ());
    let mut fired = 0;
    while let Some(event) = core.next(RunMode::Default) {
        if !matches!(event, Event::Timer(_)) {
            continue;
        }
        fired += 1;
        match fired {
            5 => core.idle_start(idle).unwrap(),
            10 => core.idle_stop(idle).unwrap(),
            15 => {
                core.work(|| (), ());
            }
            30 => {
                for handle in timers.iter().copied().chain([idle, prepare, check, wake]) {
                    core.close(handle).unwrap();
                }
            }
            _ => {}
        }
    }
    drop(core);
    drop(recorder);
    session.finish().unwrap();
    let trace = Trace::new(&[Recording::read(&path).unwrap()]);
    std::fs::remove_file(&path).unwrap();

    let told: Told = notes.0.borrow().iter().filter(|(_, kinds)| !kinds.is_empty()).cloned().collect();
    let thread = &trace.threads[0];
    let phases: Vec<Phase> = thread.phases.iter().map(|phase| phase.phase).collect();
    assert_eq!(phases, told.iter().map(|(phase, _)| *phase).collect::<Vec<_>>());
    let kinds: Vec<Option<CallbackKind>> = thread.callbacks.iter().map(|callback| callback.kind).collect();
    let expected = told.iter().flat_map(|(_, kinds)| kinds).map(|kind| Some(callback_kind(*kind)));
    assert_eq!(kinds, expected.collect::<Vec<_>>());
    // Each callback lies in its phase.
    let mut callbacks = thread.callbacks.iter();
    for (phase, (_, kinds)) in thread.phases.iter().zip(&told) {
        for callback in callbacks.by_ref().take(kinds.len()) {
            assert!(!callback.is_cut && callback.depth == 0);
            assert!(phase.begin_ns <= callback.begin_ns && callback.end_ns <= phase.end_ns);
        }
    }
    let seen: Vec<EventKind> = told.iter().flat_map(|(_, kinds)| kinds.iter().copied()).collect();
    for kind in [
        EventKind::Timer,
        EventKind::Idle,
        EventKind::Prepare,
        EventKind::Check,
        EventKind::Async,
        EventKind::Done,
        EventKind::Closed,
    ] {
        assert!(seen.contains(&kind), "{kind:?}");
    }
}
