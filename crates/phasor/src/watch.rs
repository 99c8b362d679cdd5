//! Watching files: by notifications of the kernel ([`FsEvent`]) or by polling their metadata ([`FsPoll`]).

use std::path::Path;
use std::time::Duration;

use phasor_core::{FsChange, FsPollChange, Result, fs_path};

use crate::Loop;
use crate::face::HandleEvent;
use crate::handle::handle;
use crate::timer::whole_ms;

handle! {
    /// Called when a file changes, or a directory or its entries, by `inotify(7)`.
    ///
    /// ```
    /// use phasor::{FsEvent, Loop, RunMode};
    ///
    /// let folder = std::env::temp_dir().join(format!("phasor-doc-watch-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// let mut l = Loop::new()?;
    /// FsEvent::new(&mut l).start(&mut l, &folder, |l, watch, change| {
    ///     assert_eq!(change.file_name(), Some("new.txt".as_ref()));
    ///     watch.close(l);
    /// })?;
    /// std::fs::write(folder.join("new.txt"), "hello")?;
    /// l.run(RunMode::Default)?;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[doc(alias = "uv_fs_event_t")]
    FsEvent
}

impl FsEvent {
    /// Opens a file event handle that is not started.
    #[doc(alias = "uv_fs_event_init")]
    pub fn new(l: &mut Loop) -> FsEvent {
        FsEvent(l.core.fs_event_open(Loop::no_hooks()))
    }

    /// Starts the handle: `call` is called for each change. Subdirectories are not watched.
    ///
    /// `EINVAL` if it is started already or the path contains NUL; other errors are the kernel's.
    #[doc(alias = "uv_fs_event_start")]
    pub fn start(
        self,
        l: &mut Loop,
        path: impl AsRef<Path>,
        mut call: impl FnMut(&mut Loop, FsEvent, &FsChange) + 'static,
    ) -> Result<()> {
        l.core.fs_event_start(self.0, &fs_path(path.as_ref())?)?;
        l.set_hook(
            self.0,
            Box::new(move |l, id, event| {
                if let HandleEvent::FsEvent(change) = *event {
                    call(l, FsEvent(id), change);
                }
            }),
        );
        Ok(())
    }

    /// Stops the handle. Does nothing if it is not started.
    #[doc(alias = "uv_fs_event_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.fs_event_stop(self.0)
    }
}

handle! {
    /// Polls the metadata of a file, for file systems without notifications.
    ///
    /// ```
    /// use std::time::Duration;
    /// use phasor::{Errno, FsPoll, Loop, RunMode};
    ///
    /// let mut l = Loop::new()?;
    /// FsPoll::new(&mut l).start(&mut l, "/is/not/there", Duration::from_secs(1), |l, poll, change| {
    ///     assert_eq!(change.current, Err(Errno::ENOENT));
    ///     poll.close(l);
    /// })?;
    /// l.run(RunMode::Default)?;
    /// # Ok::<(), Errno>(())
    /// ```
    #[doc(alias = "uv_fs_poll_t")]
    FsPoll
}

impl FsPoll {
    /// Opens a file poll handle that is not started.
    #[doc(alias = "uv_fs_poll_init")]
    pub fn new(l: &mut Loop) -> FsPoll {
        FsPoll(l.core.fs_poll_open(Loop::no_hooks()))
    }

    /// Starts the handle: a thread of the pool reads the metadata at once and then every `interval`. The first result
    /// only sets the base; afterwards `call` is called when the metadata differs from the last result, and for each
    /// error that differs from the last one.
    ///
    /// A started handle keeps polling as before and gets the new closure. `EINVAL` if the path contains NUL.
    #[doc(alias = "uv_fs_poll_start")]
    pub fn start(
        self,
        l: &mut Loop,
        path: impl AsRef<Path>,
        interval: Duration,
        mut call: impl FnMut(&mut Loop, FsPoll, &FsPollChange) + 'static,
    ) -> Result<()> {
        l.core.fs_poll_start(self.0, &fs_path(path.as_ref())?, whole_ms(interval))?;
        l.set_hook(
            self.0,
            Box::new(move |l, id, event| {
                if let HandleEvent::FsPoll(change) = *event {
                    call(l, FsPoll(id), change);
                }
            }),
        );
        Ok(())
    }

    /// Stops the handle. Does nothing if it is not started.
    #[doc(alias = "uv_fs_poll_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.fs_poll_stop(self.0)
    }
}
