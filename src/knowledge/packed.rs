//! Texts that are kept small in the program, because nothing at a prompt asks for them.

/// The text as `build.rs` deflated it. Empty, so that nothing is known of what it declares, if that cannot be read; tests rule
/// that out.
pub(super) fn text(packed: &[u8]) -> String {
    let bytes = miniz_oxide::inflate::decompress_to_vec(packed).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}
