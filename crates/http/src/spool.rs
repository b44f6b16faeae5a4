//! Large bodies on their way to temporary files.
//!
//! A disk may stall, so no worker writes: one thread, made when the first large body comes, writes for all of them. A
//! connection has at most one part on its way and reads nothing more until it is written, so no more than one part a connection
//! waits here, and a slow disk slows the clients down.

use crate::connection::Part;
use crate::mailbox::{Mail, Mailbox};
use crate::sys;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Whose part it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// A part to be written.
pub(crate) struct Job {
    pub(crate) owner: Owner,
    pub(crate) part: Part,
    pub(crate) reply_to: Arc<Mailbox>,
}

/// A part that was written.
pub(crate) struct Spooled {
    pub(crate) owner: Owner,
    pub(crate) file: io::Result<File>,
    pub(crate) buffer: Vec<u8>,
    pub(crate) was_last: bool,
}

pub(crate) struct Spool {
    folder: PathBuf,
    sender: Mutex<Option<Sender<Job>>>,
}

impl Spool {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, sender: Mutex::new(None) }
    }

    /// Has the part written. False if there is no thread for it and none can be made.
    pub(crate) fn submit(&self, job: Job) -> bool {
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = match &mut *sender {
            Some(sender) => sender,
            none => {
                let (sender, receiver) = channel();
                let folder = self.folder.clone();
                let thread = std::thread::Builder::new().name("spool".to_owned());
                if thread.spawn(move || run(&receiver, &folder)).is_err() {
                    return false;
                }
                none.insert(sender)
            }
        };
        sender.send(job).is_ok()
    }
}

/// Ends when the spool is dropped.
fn run(receiver: &Receiver<Job>, folder: &Path) {
    for Job { owner, part, reply_to } in receiver {
        let Part { file, bytes, is_last } = part;
        let file = write(file, &bytes, is_last, folder);
        reply_to.post([Mail::Spooled(Spooled { owner, file, buffer: bytes, was_last: is_last })]);
    }
}

/// Writes to the end of `file`, making it if there is none; the last part leaves it at its start.
pub(crate) fn write(file: Option<File>, bytes: &[u8], is_last: bool, folder: &Path) -> io::Result<File> {
    let mut file = match file {
        Some(file) => file,
        None => sys::temporary_file(folder)?,
    };
    file.write_all(bytes)?;
    if is_last {
        file.rewind()?;
    }
    Ok(file)
}
