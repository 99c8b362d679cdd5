//! The REPL, which runs if there is no script and standard input is a terminal.
//!
//! `phasor_node::repl` reads and evaluates lines; this file only configures the host.

use phasor_js::Host;

/// Runs a host to its end. Without a script or code it is a REPL, where Ctrl-C interrupts running code.
pub(crate) fn run(host: &Host) -> i32 {
    let options = host.state().options();
    let interactive = options.flags.iter().any(|flag| flag == "--interactive");
    if options.args.is_empty() && (options.eval.is_none() || interactive) {
        host.interrupt_when(&phasor_node::repl::INTERRUPT);
    }
    host.run()
}
