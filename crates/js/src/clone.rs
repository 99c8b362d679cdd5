//! Messages: JavaScript values that are sent to another thread (structured clone).
//!
//! JavaScript decides how a value is cloned: `internal/clone` in `phasor-builtins` copies a value into one that
//! contains only objects which the engine can serialize, and lists the other objects: errors, Node's own classes, ports
//! (see [`Parts`]). The engine moves that copy.
//!
//! `attachments` keeps native resources that accompany a message.

mod attachments;

use std::sync::{Arc, Mutex, PoisonError};

use phasor_engine::{Array, ArrayBuffer, Fallible, Function, IntoJs, Local, Object, Scope, Serialized, Value};

use self::attachments::Attachments;
pub use self::attachments::{if_lost, keep_along};
use crate::message_quota::Charge;
use crate::state::state;

/// A serialized value.
#[derive(Debug, Clone, Default)]
pub struct Message {
    body: Body,
    /// The bytes charged to the sending thread until the message is dropped.
    _charge: Option<Charge>,
    attachments: Attachments,
    /// The id of the message in the recording of its sender, or 0.
    pub(crate) flow: u64,
}

#[derive(Debug, Clone, Default)]
enum Body {
    #[default]
    Undefined,
    /// An array of strings, from a sender without an engine.
    Texts(Vec<String>),
    /// A value without objects.
    Primitive(Arc<Mutex<Serialized>>),
    /// The result of [`Parts::encode`]. The receivers of a broadcast share it; it has no transferred buffers.
    Encoded(Arc<Mutex<Serialized>>),
}

impl Message {
    /// An array of strings, for senders without an engine.
    pub fn of_texts(texts: &[&str]) -> Message {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        Message { body: Body::Texts(texts), ..Message::default() }
    }

    /// The size of the serialized value.
    pub(crate) fn len_bytes(&self) -> usize {
        match &self.body {
            Body::Undefined => 0,
            Body::Texts(texts) => texts.iter().map(String::len).sum(),
            Body::Primitive(serialized) | Body::Encoded(serialized) => {
                serialized.lock().unwrap_or_else(PoisonError::into_inner).len_bytes()
            }
        }
    }

    /// The strings of [`Message::of_texts`].
    #[cfg(all(test, shuttle))]
    pub(crate) fn texts(&self) -> Vec<String> {
        if let Body::Texts(texts) = &self.body { texts.clone() } else { Vec::new() }
    }
}

/// The object with the JavaScript functions that cloning uses.
///
/// - `encode(value, transferred)` returns an array whose first element is a copy of the value. If the value has an object that the engine
///   cannot serialize, the rest of the array is for `decode`. `transferred` are the objects of the transfer list that are not buffers.
/// - `decode(array, transferred)` returns the value of such an array. The objects of `transferred` replace those of `encode`.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'s>(pub Local<'s, Object>);

impl<'s> Parts<'s> {
    fn call(self, scope: Scope<'s>, name: &str, arguments: &[Local<'_, Value>]) -> Fallible<Local<'s, Value>> {
        let function: Local<'_, Function> = self.0.get_as(scope, name)?;
        function.call(scope, self.0, arguments)
    }

    fn encode(
        self,
        scope: Scope<'s>,
        value: Local<'_, Value>,
        transferred: &[Local<'_, Value>],
    ) -> Fallible<Local<'s, Value>> {
        let transferred =
            if transferred.is_empty() { scope.undefined() } else { Array::new(scope, transferred)?.as_value() };
        self.call(scope, "encode", &[value, transferred])
    }

    fn decode(
        self,
        scope: Scope<'s>,
        array: Local<'_, Array>,
        transferred: &[Local<'_, Value>],
    ) -> Fallible<Local<'s, Value>> {
        let transferred = Array::new(scope, transferred)?;
        self.call(scope, "decode", &[array.as_value(), transferred.as_value()])
    }
}

/// Serializes a value. `transferred` are the objects of the transfer list that have no bytes (ports), `buffers` the array buffers on it. The
/// buffers are detached last, when nothing can fail any more.
///
/// # Errors
///
/// A `DataCloneError`; what a getter throws.
pub fn serialize<'s>(
    scope: Scope<'s>,
    parts: Parts<'s>,
    value: Local<'_, Value>,
    transferred: &[Local<'_, Value>],
    buffers: &[Local<'_, ArrayBuffer>],
) -> Fallible<Message> {
    let needs_parts = value.is::<Object>() || value.is::<phasor_engine::Symbol>() || !buffers.is_empty();
    let (body, bytes, attachments) = if needs_parts {
        let (serialized, attachments) =
            state(scope).blocking_at_times(scope, "the structured clone of a value", || {
                Attachments::of(|| {
                    let encoded = parts.encode(scope, value, transferred)?;
                    scope.serialize(encoded, buffers)
                })
            })?;
        let bytes = serialized.len_bytes();
        (Body::Encoded(Arc::new(Mutex::new(serialized))), bytes, attachments)
    } else if value.is_undefined() {
        (Body::Undefined, 0, Attachments::default())
    } else {
        let serialized = scope.serialize(value, &[])?;
        let bytes = serialized.len_bytes();
        (Body::Primitive(Arc::new(Mutex::new(serialized))), bytes, Attachments::default())
    };
    let charge = state(scope).charge(size_of::<Message>() + bytes);
    Ok(Message { body, _charge: Some(charge), attachments, flow: 0 })
}

/// Deserializes a message. `transferred` are the objects that were transferred with it.
///
/// # Errors
///
/// When there is no memory, or an object of one of Node's classes cannot be made.
pub fn deserialize<'s>(
    scope: Scope<'s>,
    parts: Parts<'s>,
    message: Message,
    transferred: &[Local<'_, Value>],
) -> Fallible<Local<'s, Value>> {
    let Message { body, mut attachments, .. } = message;
    let read = |serialized: &Mutex<Serialized>| {
        state(scope).blocking_at_times(scope, "the structured clone of a message", || {
            scope.deserialize(&mut serialized.lock().unwrap_or_else(PoisonError::into_inner))
        })
    };
    let value = match body {
        Body::Undefined => Ok(scope.undefined()),
        Body::Texts(texts) => texts.into_js(scope),
        Body::Primitive(serialized) => read(&serialized),
        Body::Encoded(serialized) => {
            let array = read(&serialized)?.cast::<Array>().expect("an encoded message is an array");
            if array.len(scope) == 1 {
                array.get(scope, 0)
            } else {
                // From here on the attached resources have their new owner.
                attachments.arrive();
                return parts.decode(scope, array, transferred);
            }
        }
    };
    attachments.arrive();
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_send() {
        fn is_send<T: Send>() {}
        is_send::<Message>();
    }
}
