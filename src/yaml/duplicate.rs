//! Keys that a mapping holds twice, which readers take in different ways.

use std::collections::{HashMap, HashSet, VecDeque};

use super::tree::{Content, NodeId, Value};

/// A key that its mapping holds twice.
#[derive(Clone, Debug)]
pub struct Duplicate<'t> {
    /// The second of the two.
    pub key: Value<'t>,
    /// The keys that lead to it, and places in lists, such as `[3]`.
    pub path: Vec<String>,
}

impl<'t> Value<'t> {
    /// The first such key at or below this node, aliases followed; what is nearer to the node comes first.
    #[must_use]
    pub fn duplicate_key(self) -> Option<Duplicate<'t>> {
        let root = self.target_id();
        let mut reached: HashMap<NodeId, (NodeId, String)> = HashMap::new();
        let mut waiting = VecDeque::from([root]);
        while let Some(id) = waiting.pop_front() {
            let mut reach = |child: NodeId, step: String| {
                let child = self.tree.target(child);
                if child != root && !reached.contains_key(&child) {
                    reached.insert(child, (id, step));
                    waiting.push_back(child);
                }
            };
            match &self.tree.node(id).content {
                Content::Mapping(_, entries) => {
                    let mut keys = HashSet::new();
                    for &(key, value) in entries {
                        let key = self.tree.value(key);
                        let text = key.text();
                        if text.is_some_and(|text| !keys.insert(text)) {
                            let mut path = vec![text.unwrap_or_default().to_owned()];
                            let mut at = id;
                            while let Some((parent, step)) = reached.get(&at) {
                                path.push(step.clone());
                                at = *parent;
                            }
                            path.reverse();
                            return Some(Duplicate { key, path });
                        }
                        reach(value, text.unwrap_or_default().to_owned());
                    }
                }
                Content::Sequence(_, members) => {
                    for (i, &member) in members.iter().enumerate() {
                        reach(member, format!("[{i}]"));
                    }
                }
                Content::Scalar(..) | Content::Alias(_) => {}
            }
        }
        None
    }
}
