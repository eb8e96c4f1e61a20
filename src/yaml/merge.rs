//! Merge keys: what a mapping holds through `<<`.

use std::cell::RefCell;
use std::collections::HashMap;

use super::tree::{Content, NodeId, Tree, Value};

/// What has been looked up through merge keys already, by key and by mapping: chains of merges cost what they are long, once.
#[derive(Debug, Default)]
pub(super) struct Found(RefCell<HashMap<String, HashMap<NodeId, Option<NodeId>>>>);

/// A mapping on the way of a search.
struct Step {
    mapping: NodeId,
    /// What it merges, the latest first.
    sources: Vec<NodeId>,
}

impl Tree<'_> {
    /// The value of a key: the mapping's own, else that of the first merged mapping that has one. A mapping that merges
    /// itself finds nothing there.
    pub(super) fn look_up(&self, mapping: NodeId, key: &str) -> Option<NodeId> {
        let (own, sources) = self.own_or_sources(mapping, key);
        if own.is_some() || sources.is_empty() {
            return own;
        }
        let mut found = self.found.0.borrow_mut();
        let found = found.entry(key.to_owned()).or_default();
        if let Some(&known) = found.get(&mapping) {
            return known;
        }
        found.insert(mapping, None);
        let mut steps = vec![Step { mapping, sources }];
        while let Some(step) = steps.last_mut() {
            let Some(&source) = step.sources.last() else {
                steps.pop();
                continue;
            };
            match found.get(&source) {
                Some(None) => {
                    step.sources.pop();
                }
                Some(&value) => {
                    found.insert(step.mapping, value);
                    steps.pop();
                }
                None => {
                    let (own, sources) = self.own_or_sources(source, key);
                    found.insert(source, own);
                    let mapping = source;
                    steps.push(Step { mapping, sources });
                }
            }
        }
        found.get(&mapping).copied().flatten()
    }

    /// The mapping's own value of a key; without one, what the mapping merges, the latest first.
    fn own_or_sources(&self, mapping: NodeId, key: &str) -> (Option<NodeId>, Vec<NodeId>) {
        let Content::Mapping(_, entries) = &self.node(mapping).content else {
            return (None, Vec::new());
        };
        let mut sources = Vec::new();
        for &(entry_key, value) in entries {
            if self.is_merge_key(entry_key) {
                sources.extend(self.value(value).merge_sources());
            } else if self.value(entry_key).text() == Some(key) {
                return (Some(value), Vec::new());
            }
        }
        sources.reverse();
        (None, sources)
    }
}

impl Value<'_> {
    /// The mappings that a merge key's value names: one, or a sequence of them of which the earliest wins.
    pub(super) fn merge_sources(self) -> Vec<NodeId> {
        match self.content() {
            Content::Sequence(_, members) => {
                let target = |&member: &NodeId| self.tree.target(member);
                members.iter().map(target).collect()
            }
            _ => vec![self.target_id()],
        }
    }
}
