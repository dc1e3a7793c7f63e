//! `RECOURSE_*` variables as values of the configuration.

use super::ConfigError;

/// Where variables are read.
pub(super) struct Variables<'a>(pub(super) &'a dyn Fn(&str) -> Result<Option<String>, ConfigError>);

/// A value that is none.
pub(super) fn value(place: &str, what: impl Into<String>) -> ConfigError {
    ConfigError::Value { place: place.to_owned(), what: what.into() }
}

impl Variables<'_> {
    /// Its text.
    pub(super) fn text(&self, name: &str) -> Result<Option<String>, ConfigError> {
        (self.0)(name)
    }

    /// Yes or no.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, ConfigError> {
        match self.text(name)?.as_deref() {
            None => Ok(None),
            Some("true" | "1" | "yes") => Ok(Some(true)),
            Some("false" | "0" | "no") => Ok(Some(false)),
            Some(other) => Err(value(name, format!("is true or false, not {other:?}"))),
        }
    }

    /// A number; `what` says of what.
    pub(super) fn number<T: std::str::FromStr>(
        &self,
        name: &str,
        what: &str,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| value(name, format!("is a number{what}, not {text:?}")))
    }

    /// Items with commas between them.
    pub(super) fn list(&self, name: &str) -> Result<Option<Vec<String>>, ConfigError> {
        let items = |text: String| -> Vec<String> {
            text.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned).collect()
        };
        Ok(self.text(name)?.map(items))
    }
}
