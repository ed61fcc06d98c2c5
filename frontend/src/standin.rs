//! Headers that stand in for those of a generator's installation: the code is here, the headers are not.
//!
//! They are used only where they are asked for by name, and only if gcc finds no other of that name; `syncline.h` is always
//! there. Most are empty, which is what a header of macros for library operators is to a model that uses none: what the program
//! needs of them shows as an error, calls of functions that nothing declares too. But a header may also change what other text means (`#ifdef`), so verdicts rest on it,
//! and say so.

use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Component, Path, PathBuf};

/// The words of synchronous C; `syncline header` prints it.
pub const HEADER: &str = include_str!("../include/syncline.h");

/// Where stand-ins are in preprocessed text, so that it is the same every time.
pub const PLACE: &str = "<stand-in>";

/// The types of Simulink's generated code, by their documented meaning.
const RTWTYPES: &str = "#ifndef RTWTYPES_H
#define RTWTYPES_H
typedef signed char int8_T;
typedef unsigned char uint8_T;
typedef short int16_T;
typedef unsigned short uint16_T;
typedef int int32_T;
typedef unsigned int uint32_T;
typedef long long int64_T;
typedef unsigned long long uint64_T;
typedef float real32_T;
typedef double real64_T;
typedef double real_T;
typedef double time_T;
typedef unsigned char boolean_T;
typedef int int_T;
typedef unsigned int uint_T;
typedef unsigned long ulong_T;
typedef char char_T;
typedef unsigned char uchar_T;
typedef char_T byte_T;
typedef void *pointer_T;
typedef struct { real32_T re, im; } creal32_T;
typedef struct { real_T re, im; } creal_T;
#define MAX_int8_T ((int8_T)127)
#define MIN_int8_T ((int8_T)-128)
#define MAX_uint8_T ((uint8_T)255U)
#define MAX_int16_T ((int16_T)32767)
#define MIN_int16_T ((int16_T)-32768)
#define MAX_uint16_T ((uint16_T)65535U)
#define MAX_int32_T ((int32_T)2147483647)
#define MIN_int32_T ((int32_T)-2147483647 - 1)
#define MAX_uint32_T ((uint32_T)0xFFFFFFFFU)
#define MAX_int64_T ((int64_T)9223372036854775807LL)
#define MIN_int64_T ((int64_T)-9223372036854775807LL - 1LL)
#define MAX_uint64_T ((uint64_T)0xFFFFFFFFFFFFFFFFULL)
#ifndef false
#define false (0U)
#endif
#ifndef true
#define true (1U)
#endif
#endif
";

/// SCADE's copies of structures and arrays, by their documented meaning.
const KCG_ASSIGN: &str = "#include <string.h>
#define kcg_assign(to, from, size) (memcpy((to), (from), (size)))
";

/// The header that a file of preprocessed text stands in for.
pub fn name(file: &str) -> Option<&str> {
    file.strip_prefix(PLACE)?.strip_prefix('/').filter(|name| *name != "syncline.h")
}

/// What verdicts rest on if this header stands in.
pub fn note(name: &str) -> String {
    let text = if text(name).is_empty() { "taken as empty" } else { "taken to be as usual" };
    format!("the header `{name}` is not there, and {text}")
}

fn text(name: &str) -> &'static str {
    match Path::new(name).file_name().and_then(|n| n.to_str()) {
        Some("syncline.h") => HEADER,
        Some("rtwtypes.h") => RTWTYPES,
        Some("kcg_assign.h") => KCG_ASSIGN,
        _ => "",
    }
}

/// A directory with such headers, removed when it is dropped.
pub struct Headers(pub PathBuf);

impl Headers {
    pub fn new(names: &[String]) -> io::Result<Headers> {
        let made = Headers(directory()?);
        for name in names {
            let inside = !name.is_empty() && Path::new(name).components().all(|c| matches!(c, Component::Normal(_)));
            if !inside {
                let words = format!("`{name}` cannot stand in for a header: a name inside of a directory is needed");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
            }
            let path = made.0.join(name);
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, text(name))?;
        }
        Ok(made)
    }

    /// Names the directory in gcc's output and messages as the same every time.
    pub fn named(&self, text: Vec<u8>) -> Vec<u8> {
        let dir = self.0.as_os_str().as_encoded_bytes();
        let (mut out, mut at) = (Vec::with_capacity(text.len()), 0);
        while let Some(found) = text[at..].windows(dir.len()).position(|w| w == dir) {
            out.extend_from_slice(&text[at..at + found]);
            out.extend_from_slice(PLACE.as_bytes());
            at += found + dir.len();
        }
        out.extend_from_slice(&text[at..]);
        out
    }
}

impl Drop for Headers {
    fn drop(&mut self) {
        // What is left behind in a directory for temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn directory() -> io::Result<PathBuf> {
    for _ in 0..16 {
        let dir = std::env::temp_dir().join(format!("syncline-{}-{:x}", std::process::id(), rand_bits()));
        match std::fs::DirBuilder::new().mode(0o700).create(&dir) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
            made => return made.map(|()| dir),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Bits nobody else has picked just now.
fn rand_bits() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
