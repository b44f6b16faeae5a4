//! Large bodies on their way to temporary files, and files on their way to clients.
//!
//! A disk may stall, so no worker touches it: one thread, made when it is first needed, writes and reads for all of them. A
//! connection has at most one part on its way and goes on only when that is done, so no more than one part a connection waits
//! here, and a slow disk slows the clients down.

use crate::connection::Part;
use crate::mailbox::{Mail, Mailbox};
use crate::output::PIECE;
use crate::response::FilePart;
use crate::sys;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Whose part it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Owner {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// What is to be done, and who is to hear of it.
pub(crate) struct Job {
    pub(crate) owner: Owner,
    pub(crate) work: Work,
    pub(crate) reply_to: Arc<Mailbox>,
}

pub(crate) enum Work {
    /// Write a part of a request's body.
    Write(Part),
    /// Read the first piece of what is left of a response's file.
    Read(FilePart),
}

/// A piece of a file that was read, or why not.
pub(crate) struct Loaded {
    pub(crate) owner: Owner,
    pub(crate) piece: io::Result<Vec<u8>>,
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

    /// Has the work done. False if there is no thread for it and none can be made.
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
    for Job { owner, work, reply_to } in receiver {
        let mail = match work {
            Work::Write(Part { file, bytes, is_last }) => {
                let file = write(file, &bytes, is_last, folder);
                Mail::Spooled(Spooled { owner, file, buffer: bytes, was_last: is_last })
            }
            Work::Read(part) => Mail::Loaded(Loaded { owner, piece: read(&part) }),
        };
        reply_to.post([mail]);
    }
}

fn read(part: &FilePart) -> io::Result<Vec<u8>> {
    let mut piece = vec![0; usize::try_from(part.bytes).map_or(PIECE, |bytes| bytes.min(PIECE))];
    part.file.read_exact_at(&mut piece, part.offset)?;
    Ok(piece)
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
