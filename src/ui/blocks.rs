//! Splits long text into blocks, so that the browser does little layout work when text is appended
//! or scrolled out of view.

/// The minimum size of a block, in bytes.
const MIN_BLOCK: usize = 4096;
/// The number of bytes after the minimum size in which a better end of the block is searched for.
const BOUNDARY_SEARCH: usize = 256;

/// Splits a text where a block that already has `block_len` bytes is long enough: after a line
/// break, or else after a space or a comma, or else between two characters. Returns `None` if the
/// complete text fits into the block.
pub(crate) fn split_at_block_end(text: &str, block_len: usize) -> Option<(&str, &str)> {
    let room = MIN_BLOCK.saturating_sub(block_len);
    if text.len() <= room {
        return None;
    }
    let max_len = (MIN_BLOCK + BOUNDARY_SEARCH)
        .saturating_sub(block_len)
        .min(text.len());
    let end = (0..=max_len).rev().find(|at| text.is_char_boundary(*at))?;
    let head = text.get(..end)?;
    let end_after = |c: char| head.rfind(c).map(|at| at + 1).filter(|at| *at > room);
    let boundary = end_after('\n')
        .or_else(|| end_after(' '))
        .or_else(|| end_after(','));
    text.split_at_checked(match boundary {
        Some(at) => at,
        None if max_len < text.len() => end,
        None => return None,
    })
}
