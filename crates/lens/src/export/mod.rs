//! Writes a trace for people and for other tools.

mod chrome;
mod html;
mod text;

pub use self::chrome::chrome;
pub use self::html::html;
