//! The prompt: what the program does when it has nothing to run and somebody sits at a terminal.
//!
//! Reading and running lines is `phasor_node::repl`; here is only what the host must know of it.

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
