//! spawn: runs `/bin/true` repeatedly; the next process starts when the previous handle is closed.

use phasor_core::{Event, HandleId, Loop, RunMode, Spawn};

use super::{FnFrontEnd, new_loop, unwrap};
use crate::measure::Stopwatch;
use crate::registry::{Params, Sample};

pub(crate) fn spawn(params: &Params) -> Sample {
    fn never_called(_: &mut Loop<FnFrontEnd<()>>, _: &mut (), _: HandleId, _: &Event<FnFrontEnd<()>>) {}
    let start = |core: &mut Loop<FnFrontEnd<()>>| {
        let process = core.process_open(never_called);
        let program = c"/bin/true".to_owned();
        unwrap(core.process_spawn(process, Spawn { args: vec![program.clone()], program, ..Spawn::default() }));
    };
    let (mut core, mut exited) = (new_loop(), 0);
    let watch = Stopwatch::begin();
    start(&mut core);
    while let Some(event) = core.next(RunMode::Default) {
        match event {
            Event::Exit(id, status) => {
                assert_eq!((status.code, status.signal), (0, 0));
                exited += 1;
                unwrap(core.close(id));
            }
            Event::Closed(_) if exited < params.count => start(&mut core),
            _ => {}
        }
    }
    assert_eq!(exited, params.count);
    vec![watch.end(exited)]
}
