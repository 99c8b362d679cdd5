//! The REPL: what the program runs if it has no script and standard input is a terminal.
//!
//! `phasor_node::repl` reads and evaluates lines; this file only sets the host up.

use phasor_js::Host;

/// Runs a host to its end; one that has nothing to run is a prompt, where Ctrl-C stops running code.
pub(crate) fn run(host: &Host) -> i32 {
    let options = host.state().options();
    let interactive = options.flags.iter().any(|flag| flag == "--interactive");
    if options.args.is_empty() && (options.eval.is_none() || interactive) {
        host.interrupt_when(&phasor_node::repl::INTERRUPT);
    }
    host.run()
}
