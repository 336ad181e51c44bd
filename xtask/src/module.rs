//! Reads and writes the parts of the WebAssembly binary format that `layout` and `dist` need:
//! sections, functions, exports.

use crate::project::Outcome;

const CUSTOM: u8 = 0;
const IMPORT: u8 = 2;
const EXPORT: u8 = 7;
const CODE: u8 = 10;
/// The id of the subsection with function names.
const FUNCTION_NAMES: u8 = 1;

/// The sections of a module, in order.
pub(crate) struct Sections<'a> {
    head: &'a [u8],
    list: Vec<(u8, Vec<u8>)>,
}

impl<'a> Sections<'a> {
    /// Parses a module.
    pub(crate) fn parse(module: &'a [u8]) -> Outcome<Self> {
        let (head, rest) = module.split_at_checked(8).ok_or_else(invalid_module)?;
        let mut reader = SectionReader(rest);
        let mut list = Vec::new();
        while !reader.0.is_empty() {
            let id = reader.read_byte()?;
            list.push((id, reader.read_prefixed()?.to_vec()));
        }
        Ok(Self { head, list })
    }

    /// Returns the module with these sections, in the binary format.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut module = self.head.to_vec();
        for (id, section) in &self.list {
            module.push(*id);
            write_leb128(&mut module, section.len());
            module.extend(section);
        }
        module
    }

    /// Replaces the name section with one that contains only function names. `names` is the encoded
    /// name map.
    pub(crate) fn name_functions(&mut self, names: &[u8]) {
        let is_names = |(id, section): &(u8, Vec<u8>)| {
            *id == CUSTOM && SectionReader(section).read_prefixed().ok() == Some(b"name")
        };
        self.list.retain(|section| !is_names(section));
        let mut section = Vec::new();
        write_string(&mut section, "name");
        section.push(FUNCTION_NAMES);
        write_leb128(&mut section, names.len());
        section.extend(names);
        self.list.push((CUSTOM, section));
    }

    /// Removes the exports whose names satisfy a condition.
    pub(crate) fn drop_exports(&mut self, unused: impl Fn(&str) -> bool) -> Outcome<()> {
        for (_, section) in self.list.iter_mut().filter(|(id, _)| *id == EXPORT) {
            let mut reader = SectionReader(section);
            let mut kept = Vec::new();
            let mut count = 0;
            for _ in 0..reader.read_leb128()? {
                let name = reader.read_prefixed()?;
                let kind = reader.read_byte()?;
                let index = reader.read_leb128()?;
                let name = std::str::from_utf8(name).map_err(|_| invalid_module())?;
                if !unused(name) {
                    write_string(&mut kept, name);
                    kept.push(kind);
                    write_leb128(&mut kept, index);
                    count += 1;
                }
            }
            section.clear();
            write_leb128(section, count);
            section.extend(kept);
        }
        Ok(())
    }

    /// Returns a reader of the section with an id. Fails if the module has no such section.
    fn section_reader(&self, id: u8) -> Outcome<SectionReader<'_>> {
        let found = self.list.iter().find(|(other, _)| *other == id);
        found
            .map(|(_, section)| SectionReader(section))
            .ok_or_else(invalid_module)
    }
}

/// The functions of a module.
pub(crate) struct Functions<'a> {
    /// The number of imported functions, which come first in the index space.
    pub(crate) imported: usize,
    pub(crate) bodies: Vec<&'a [u8]>,
}

impl<'a> Functions<'a> {
    /// Parses the functions of a module. Fails if the module has no code or no imports.
    pub(crate) fn parse(sections: &'a Sections<'_>) -> Outcome<Self> {
        let mut code = sections.section_reader(CODE)?;
        let bodies: Outcome<Vec<&[u8]>> = (0..code.read_leb128()?)
            .map(|_| code.read_prefixed())
            .collect();
        Ok(Self {
            imported: count_imported_functions(sections.section_reader(IMPORT)?)?,
            bodies: bodies?,
        })
    }
}

fn count_imported_functions(mut imports: SectionReader<'_>) -> Outcome<usize> {
    let mut functions = 0;
    for _ in 0..imports.read_leb128()? {
        imports.read_prefixed()?;
        imports.read_prefixed()?;
        match imports.read_byte()? {
            0 => {
                imports.read_leb128()?;
                functions += 1;
            }
            1 => {
                imports.read_byte()?;
                imports.skip_limits()?;
            }
            2 => imports.skip_limits()?,
            3 => {
                imports.read_byte()?;
                imports.read_byte()?;
            }
            _ => return Err(invalid_module()),
        }
    }
    Ok(functions)
}

/// A reader of LEB128 numbers and length-prefixed bytes.
struct SectionReader<'a>(&'a [u8]);

impl<'a> SectionReader<'a> {
    fn read_byte(&mut self) -> Outcome<u8> {
        let (first, rest) = self.0.split_first().ok_or_else(invalid_module)?;
        self.0 = rest;
        Ok(*first)
    }

    fn read_leb128(&mut self) -> Outcome<usize> {
        let mut value = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.read_byte()?;
            value |= usize::from(byte & 127) << shift;
            if byte < 128 {
                return Ok(value);
            }
        }
        Err(invalid_module())
    }

    fn read_prefixed(&mut self) -> Outcome<&'a [u8]> {
        let length = self.read_leb128()?;
        let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(invalid_module)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Skips the limits of a table or a memory.
    fn skip_limits(&mut self) -> Outcome<()> {
        let bounded = self.read_byte()? & 1 == 1;
        self.read_leb128()?;
        if bounded {
            self.read_leb128()?;
        }
        Ok(())
    }
}

/// Writes a LEB128 number.
pub(crate) fn write_leb128(out: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = u8::try_from(value & 127).unwrap_or_default();
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 128);
    }
}

/// Writes a length-prefixed string.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    write_leb128(out, text.len());
    out.extend(text.as_bytes());
}

fn invalid_module() -> String {
    "the module cannot be read".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with an imported function, an imported memory, two exports, and a function.
    const MODULE: &[u8] =
        b"\0asm\x01\0\0\0\x02\x0f\x02\x01a\x01b\x00\x05\x01a\x01m\x02\x01\x01\x02\
        \x07\x0b\x02\x03one\x00\x00\x01x\x00\x01\x0a\x04\x01\x02\x00\x0b";

    #[test]
    fn functions_are_named_and_exports_dropped() {
        let mut sections = Sections::parse(MODULE).unwrap();
        let functions = Functions::parse(&sections).unwrap();
        assert_eq!(
            (functions.imported, functions.bodies),
            (1, vec![&b"\0\x0b"[..]])
        );
        sections.drop_exports(|name| name == "one").unwrap();
        sections.name_functions(b"\x01\x01\x02xy");
        let written = sections.to_bytes();
        let end = b"\x07\x05\x01\x01x\x00\x01\x0a\x04\x01\x02\x00\x0b\x00\x0c\x04name\x01\x05\x01\x01\x02xy";
        assert!(written.ends_with(end));
    }

    #[test]
    fn a_truncated_module_is_an_error() {
        for end in [3, 9, 12, MODULE.len() - 1] {
            let cut = MODULE.get(..end).unwrap();
            let read = Sections::parse(cut).and_then(|sections| {
                Functions::parse(&sections).map(|functions| functions.imported)
            });
            assert!(read.is_err());
        }
    }
}
