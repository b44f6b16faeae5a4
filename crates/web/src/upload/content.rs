//! The bytes of an uploaded file, in memory or in a temporary file, with their size and hash.
//!
//! The temporary file has no name: nobody else can open it, and it is gone when the content is dropped or the process dies.

use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use tempfile::TempPath;

/// Bytes of a file that are held in memory; a longer one goes to a temporary file.
pub(crate) const MAX_IN_MEMORY: usize = 64 * 1024;

/// Where the bytes are.
#[derive(Debug)]
pub(crate) enum Stored {
    Memory(Vec<u8>),
    /// Readable at any offset; its own position means nothing.
    File(File),
}

/// A complete file.
#[derive(Debug)]
pub(crate) struct Content {
    stored: Stored,
    size: u64,
    sha256: [u8; 32],
}

impl Content {
    /// Number of bytes.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// SHA-256 of the bytes.
    pub(crate) fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// Writes the bytes to a temporary file with a name. Waits for the disk.
    ///
    /// # Errors
    /// It cannot be made or written.
    pub(crate) fn to_temporary_file(&self) -> io::Result<TempPath> {
        let mut file = tempfile::Builder::new().prefix("gander-upload-").tempfile()?;
        match &self.stored {
            Stored::Memory(bytes) => file.write_all(bytes)?,
            Stored::File(stored) => {
                let mut stored = stored.try_clone()?;
                stored.seek(SeekFrom::Start(0))?;
                io::copy(&mut stored, file.as_file_mut())?;
            }
        }
        Ok(file.into_temp_path())
    }

    /// Where the bytes are.
    #[cfg(test)]
    pub(crate) fn stored(&self) -> &Stored {
        &self.stored
    }

    /// At most `bytes` bytes from `offset` on; fewer only at the end. May wait for the disk if they are in a file.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub(crate) fn read(&self, offset: u64, bytes: usize) -> io::Result<Cow<'_, [u8]>> {
        let left = usize::try_from(self.size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let bytes = bytes.min(left);
        match &self.stored {
            Stored::Memory(all) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let part = start.checked_add(bytes).and_then(|end| all.get(start..end));
                Ok(Cow::Borrowed(part.unwrap_or_default()))
            }
            Stored::File(file) => {
                let mut part = vec![0; bytes];
                file.read_exact_at(&mut part, offset)?;
                Ok(Cow::Owned(part))
            }
        }
    }
}

/// A file that is being received.
pub(crate) struct Collector<'a> {
    folder: &'a Path,
    stored: Stored,
    size: u64,
    hash: Sha256,
}

impl<'a> Collector<'a> {
    /// Nothing so far. `folder` is where the temporary file would be made.
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, stored: Stored::Memory(Vec::new()), size: 0, hash: Sha256::new() }
    }

    /// Adds bytes at the end. May wait for the disk once there are more than [`MAX_IN_MEMORY`].
    ///
    /// # Errors
    /// The temporary file cannot be made or written.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.size = self.size.saturating_add(bytes.len() as u64);
        self.hash.update(bytes);
        match &mut self.stored {
            Stored::Memory(all) if all.len().saturating_add(bytes.len()) <= MAX_IN_MEMORY => {
                all.extend_from_slice(bytes);
            }
            Stored::Memory(all) => {
                let mut file = tempfile::tempfile_in(self.folder)?;
                file.write_all(all)?;
                file.write_all(bytes)?;
                self.stored = Stored::File(file);
            }
            Stored::File(file) => file.write_all(bytes)?,
        }
        Ok(())
    }

    /// Number of bytes so far.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The file is complete.
    pub(crate) fn finish(self) -> Content {
        Content { stored: self.stored, size: self.size, sha256: self.hash.finalize().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(pieces: &[&[u8]]) -> io::Result<Content> {
        let folder = std::env::temp_dir();
        let mut collector = Collector::new(&folder);
        for piece in pieces {
            collector.add(piece)?;
        }
        Ok(collector.finish())
    }

    #[test]
    fn what_fits_stays_in_memory_and_one_byte_more_goes_to_a_file() -> io::Result<()> {
        let full = vec![b'x'; MAX_IN_MEMORY];
        assert!(matches!(content(&[&full])?.stored(), Stored::Memory(_)));
        let larger = content(&[&full, b"y"])?;
        assert!(matches!(larger.stored(), Stored::File(_)));
        assert_eq!(larger.size(), MAX_IN_MEMORY as u64 + 1);
        assert_eq!(larger.read(MAX_IN_MEMORY as u64 - 1, 10)?.as_ref(), b"xy");
        Ok(())
    }

    #[test]
    fn the_hash_does_not_depend_on_pieces_or_place() -> io::Result<()> {
        // The test vector of FIPS 180-4 for "abc".
        let expected = [0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea];
        assert_eq!(content(&[b"a", b"", b"bc"])?.sha256().first_chunk(), Some(&expected));
        let long = vec![b'x'; MAX_IN_MEMORY + 7];
        let (front, back) = long.split_at(9);
        let (one, two) = (content(&[&long])?, content(&[front, back])?);
        assert_eq!(one.sha256(), two.sha256());
        Ok(())
    }

    #[test]
    fn reading_stops_at_the_end() -> io::Result<()> {
        for filler in [0, MAX_IN_MEMORY] {
            let content = content(&[&vec![0; filler], b"abc"])?;
            let start = filler as u64;
            assert_eq!(content.read(start, 2)?.as_ref(), b"ab");
            assert_eq!(content.read(start + 1, usize::MAX)?.as_ref(), b"bc");
            assert_eq!(content.read(start + 3, 1)?.as_ref(), b"");
            assert_eq!(content.read(u64::MAX, usize::MAX)?.as_ref(), b"");
        }
        Ok(())
    }

    #[test]
    fn a_folder_that_does_not_exist_is_an_error() {
        let mut collector = Collector::new(Path::new("/nonexistent/folder"));
        assert!(collector.add(&vec![0; MAX_IN_MEMORY]).is_ok());
        assert!(collector.add(b"x").is_err());
    }
}
