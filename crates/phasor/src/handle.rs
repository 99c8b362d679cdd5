//! The methods that the ids of all handle types share. Methods of one type are in that type's file.

/// Defines the typed id of a handle type, with the methods that all types have.
macro_rules! handle {
    ($(#[$doc:meta])* $Name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $Name(pub(crate) phasor_core::HandleId);

        impl $Name {
            /// The untyped id of the handle.
            pub fn id(self) -> phasor_core::HandleId {
                self.0
            }

            /// Closes the handle: it stops at once. Does nothing if it is closing or closed.
            ///
            /// Its closure is dropped in the closing phase of this turn.
            #[doc(alias = "uv_close")]
            pub fn close(self, l: &mut crate::Loop) {
                l.close(self.0);
            }

            /// Closes the handle and calls `then` in the closing phase. `EALREADY` if it is closing, `EBADF` if it is
            /// closed.
            #[doc(alias = "uv_close")]
            pub fn close_then(
                self,
                l: &mut crate::Loop,
                then: impl FnOnce(&mut crate::Loop) + 'static,
            ) -> phasor_core::Result<()> {
                l.close_then(self.0, then)
            }

            /// True if the handle is active, that is, may cause calls: it is started, reading or listening.
            #[doc(alias = "uv_is_active")]
            pub fn is_active(self, l: &crate::Loop) -> bool {
                l.core.is_active(self.0)
            }

            /// True if the handle is closing or closed.
            #[doc(alias = "uv_is_closing")]
            pub fn is_closing(self, l: &crate::Loop) -> bool {
                l.core.is_closing(self.0)
            }

            /// Sets whether the handle keeps the loop alive while it is active. New handles do.
            #[doc(alias = "uv_ref")]
            #[doc(alias = "uv_unref")]
            pub fn set_ref(self, l: &mut crate::Loop, keeps_alive: bool) {
                // A closed handle keeps nothing alive, so its error is ignored.
                let _ = l.core.set_ref(self.0, keeps_alive);
            }

            /// True if the handle keeps the loop alive while it is active.
            #[doc(alias = "uv_has_ref")]
            pub fn has_ref(self, l: &crate::Loop) -> bool {
                l.core.has_ref(self.0)
            }
        }

        impl From<$Name> for phasor_core::HandleId {
            fn from(handle: $Name) -> phasor_core::HandleId {
                handle.0
            }
        }
    };
}

pub(crate) use handle;
