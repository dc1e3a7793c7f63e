//! Where recourse's own files stand (XDG, through `dirs`).

use crate::attest::Places;

/// This user's folders; `None` without a home directory.
pub fn user_places() -> Option<Places> {
    // macOS names no folder for state.
    let state = dirs::state_dir().or_else(dirs::data_local_dir)?;
    Some(Places {
        data: dirs::data_dir()?.join("recourse"),
        state: state.join("recourse"),
        cache: dirs::cache_dir()?.join("recourse"),
    })
}
