//! Files that change: told by the kernel, or found by looking again and again.

use std::path::Path;
use std::time::Duration;

use phasor_core::{FsChange, FsPollChange, Result, fs_path};

use crate::Loop;
use crate::face::Happening;
use crate::handle::handle;
use crate::timer::whole_ms;

handle! {
    /// Told by the kernel when a file changes, or a directory and its entries.
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
    /// Opens a file event handle, not started.
    #[doc(alias = "uv_fs_event_init")]
    pub fn new(l: &mut Loop) -> FsEvent {
        FsEvent(l.core.fs_event_open(Loop::bare()))
    }

    /// Starts it: `call` is called for each change. Directories below the one watched are not watched.
    ///
    /// `EINVAL` if it is started or there is a NUL in the path, and what the kernel says of the path.
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
            Box::new(move |l, id, happening| {
                if let Happening::FsEvent(change) = *happening {
                    call(l, FsEvent(id), change);
                }
            }),
        );
        Ok(())
    }

    /// Stops it. One that is not started stays so.
    #[doc(alias = "uv_fs_event_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.fs_event_stop(self.0)
    }
}

handle! {
    /// Looks at a file again and again, for places where the kernel does not tell of changes.
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
    /// Opens a file poll handle, not started.
    #[doc(alias = "uv_fs_poll_init")]
    pub fn new(l: &mut Loop) -> FsPoll {
        FsPoll(l.core.fs_poll_open(Loop::bare()))
    }

    /// Starts it: a thread of the pool looks at once and then every `interval`. The first look only learns what is there;
    /// after it `call` is told of each difference, and of each error that is another than the one before.
    ///
    /// A started one goes on as it is, with this closure. `EINVAL` if there is a NUL in the path.
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
            Box::new(move |l, id, happening| {
                if let Happening::FsPoll(change) = *happening {
                    call(l, FsPoll(id), change);
                }
            }),
        );
        Ok(())
    }

    /// Stops it. One that is not started stays so.
    #[doc(alias = "uv_fs_poll_stop")]
    pub fn stop(self, l: &mut Loop) -> Result<()> {
        l.core.fs_poll_stop(self.0)
    }
}
