//! The function itself: a `ResourceList` in, the `ResourceList` with its edits and results out.

use std::io;

use crate::function_config::read::{config_of, layer_of};
use crate::resource::Resource;
use crate::resource_list::{InputError, ResourceList};
use crate::rollout::{Rollout, invalid_config, roll_out};

/// What the function does with a list.
#[derive(Debug)]
pub struct Run<'a> {
    list: ResourceList<'a>,
    /// The edits and what to say about them.
    pub rollout: Rollout,
}

/// Works out what the list's own function config asks for.
///
/// # Errors
///
/// Text that is no `ResourceList`. Everything else that is wrong is an outcome.
pub fn run(source: &str) -> Result<Run<'_>, InputError> {
    let list = ResourceList::read(source)?;
    let config = list.function_config();
    let rollout = match config_of(config.map(layer_of)) {
        Ok(config) => roll_out(&list.items(), &config),
        Err(faults) => invalid_config(config.map(|root| Resource { root }), faults),
    };
    Ok(Run { list, rollout })
}

impl Run<'_> {
    /// Writes the list.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write(&self, out: &mut impl io::Write) -> io::Result<()> {
        self.list
            .write(self.rollout.edits.clone(), &self.rollout.outcomes, out)
    }
}
