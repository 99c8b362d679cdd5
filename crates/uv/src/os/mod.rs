//! What the system tells of itself and of the process. Everything is asked of `sys`; here it is put into C's shapes.

pub mod cpu;
pub mod directory;
pub mod environment;
pub mod machine;
pub mod memory;
pub mod process;
pub mod usage;
pub mod user;
