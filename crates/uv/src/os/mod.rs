//! Information about the system and the process. `phasor_sys` collects it; these modules convert it to C structs and strings.

pub mod cpu;
pub mod directory;
pub mod environment;
pub mod machine;
pub mod memory;
pub mod process;
pub mod usage;
pub mod user;
