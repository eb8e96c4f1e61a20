//! The function itself: a `ResourceList` in, the `ResourceList` with its edits and results out.

use std::io;

use crate::function_config::read::{config_of, layer_of};
use crate::items::Items;
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
    if let Some(run) = ResourceList::outline(source).and_then(decide) {
        return Ok(run);
    }
    run_parsed(source)
}

/// The same with the whole text parsed, which is slower and never better: what [`run`] falls back on, and is held against.
///
/// # Errors
///
/// As [`run`].
pub fn run_parsed(source: &str) -> Result<Run<'_>, InputError> {
    let list = ResourceList::read(source)?;
    let rollout = rollout(&list, &list.items());
    Ok(Run { list, rollout })
}

/// The run; none where an item could not be parsed by itself.
fn decide(list: ResourceList<'_>) -> Option<Run<'_>> {
    let items = list.items();
    let rollout = rollout(&list, &items);
    (!items.is_misread()).then_some(Run { list, rollout })
}

fn rollout(list: &ResourceList<'_>, items: &Items<'_>) -> Rollout {
    let config = list.function_config();
    match config_of(config.map(layer_of)) {
        Ok(config) => roll_out(items, &config),
        Err(faults) => invalid_config(config.map(|root| Resource { root }), faults),
    }
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
