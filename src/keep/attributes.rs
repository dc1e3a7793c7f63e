//! Extended attributes of files, read and written as they are: what people and programs note on a file, access control
//! lists, capabilities.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::fs::XattrFlags;
use rustix::io::Errno;

use crate::order;

/// Bytes of all names of a file's attributes, at most; Linux has the same limit.
const NAMES: usize = 1 << 16;

/// Whether a path is a link to what is meant (the name of an open file below `/proc`), or the thing itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Led {
    /// It is the thing itself; a link there is not followed.
    Here,
    /// It leads to the thing.
    There,
}

/// The attributes of a file, name and value (base64), sorted by name. Links have none of their own that a user could set.
pub(crate) fn read(path: &Path, led: Led, meta: &Metadata) -> io::Result<Vec<(String, String)>> {
    if !meta.is_file() && !meta.is_dir() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for name in names(path, led)? {
        if let Some(value) = value(path, led, &name)? {
            found.push((name, STANDARD.encode(value)));
        }
    }
    order::sort(&mut found);
    Ok(found)
}

/// Gives a file exactly these attributes. What only the system may set, and does not let us set, is left as it is.
pub(crate) fn write(path: &Path, led: Led, attributes: &[(String, String)]) -> io::Result<()> {
    let now = names(path, led)?;
    for name in now.iter().filter(|name| !attributes.iter().any(|(known, _)| known == *name)) {
        let done = match led {
            Led::Here => rustix::fs::lremovexattr(path, name.as_str()),
            Led::There => rustix::fs::removexattr(path, name.as_str()),
        };
        bearable(name, done)?;
    }
    for (name, text) in attributes {
        let wanted = STANDARD.decode(text).map_err(io::Error::other)?;
        if now.contains(name) && value(path, led, name)?.as_ref() == Some(&wanted) {
            continue;
        }
        let done = match led {
            Led::Here => rustix::fs::lsetxattr(path, name.as_str(), &wanted, XattrFlags::empty()),
            Led::There => rustix::fs::setxattr(path, name.as_str(), &wanted, XattrFlags::empty()),
        };
        bearable(name, done)?;
    }
    Ok(())
}

/// What belongs to the system may be refused: labels are set by its policy, capabilities by root.
fn bearable(name: &str, done: Result<(), Errno>) -> io::Result<()> {
    let own = name.starts_with("user.") || name.starts_with("system.posix_acl");
    match done {
        Ok(()) => Ok(()),
        Err(Errno::NODATA) => Ok(()),
        Err(_) if !own => Ok(()),
        Err(error) => Err(io::Error::other(format!("its attribute {name} cannot be set: {error}"))),
    }
}

/// Names that are no UTF-8 do not occur but by malice; they are left out.
fn names(path: &Path, led: Led) -> io::Result<Vec<String>> {
    let mut buffer = [0_u8; 1024];
    let mut large = Vec::new();
    let list = |into: &mut [u8]| match led {
        Led::Here => rustix::fs::llistxattr(path, into),
        Led::There => rustix::fs::listxattr(path, into),
    };
    let filled: &[u8] = match list(&mut buffer) {
        Ok(0) | Err(Errno::NOTSUP) => return Ok(Vec::new()),
        Ok(length) => &buffer[..length],
        Err(Errno::RANGE) => {
            large.resize(NAMES, 0);
            let length = list(&mut large)?;
            &large[..length]
        }
        Err(error) => return Err(error.into()),
    };
    let each = filled.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(each.filter_map(|name| std::str::from_utf8(name).ok().map(str::to_owned)).collect())
}

/// None: it went meanwhile, or is not for us to read.
fn value(path: &Path, led: Led, name: &str) -> io::Result<Option<Vec<u8>>> {
    let mut value = vec![0_u8; 256];
    loop {
        let got = match led {
            Led::Here => rustix::fs::lgetxattr(path, name, &mut value[..]),
            Led::There => rustix::fs::getxattr(path, name, &mut value[..]),
        };
        match got {
            Ok(length) => {
                value.truncate(length);
                return Ok(Some(value));
            }
            Err(Errno::RANGE) if value.len() < NAMES => value = vec![0_u8; NAMES],
            Err(Errno::NODATA | Errno::NOTSUP) => return Ok(None),
            // Not ours to read: then its content is not either, and it is kept by its name alone.
            Err(Errno::PERM | Errno::ACCESS) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
}
