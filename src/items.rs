//! The objects of an input that a decision can need, each parsed when it is needed, and finding them by kind and name.

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use memchr::memmem::Finder;

use crate::references::SourceKind;
use crate::resource::{Item, Resource};
use crate::yaml::outline::Part;
use crate::yaml::parse::parse_range;
use crate::yaml::tree::NodeId;
use crate::yaml::{Kind, Tree, Value};

/// The Deployments, ConfigMaps and Secrets of an input, in order.
#[derive(Debug, Default)]
pub struct Items<'a> {
    deployments: Vec<Object<'a>>,
    sources: Vec<(SourceKind, Object<'a>)>,
    by_name: OnceCell<HashMap<(SourceKind, String), Vec<Named>>>,
    misread: Cell<bool>,
}

/// An object, parsed or not yet.
#[derive(Clone, Debug)]
enum Object<'a> {
    Parsed(Item<'a>),
    Text(&'a str, Part),
}

impl<'a> Object<'a> {
    /// All of its text; none where an alias may bring in text from elsewhere.
    fn text(&self) -> Option<&'a str> {
        match self {
            Self::Text(source, part) => source.get(part.range.clone()),
            Self::Parsed(item) if item.tree.has_aliases() => None,
            Self::Parsed(item) => item.tree.source().get(item.resource().root.span()),
        }
    }
}

/// A source that has a name, or had it before kustomize changed it.
#[derive(Debug)]
pub struct Named {
    place: usize,
    /// The namespace that its manifest names.
    pub namespace: Option<String>,
}

impl<'a> Items<'a> {
    /// Those among a list of values, and among the members of a `List` in its place. What is no mapping is no object.
    pub fn of(tree: &Rc<Tree<'a>>, values: impl Iterator<Item = NodeId>) -> Self {
        let mut items = Self::default();
        items.add(tree, values);
        items
    }

    /// Those among the parts that an outline tells of. Parts of which it does not tell the kind are parsed for it.
    #[must_use]
    pub fn of_parts(source: &'a str, parts: Vec<Part>) -> Self {
        let mut items = Self::default();
        for part in parts {
            let kind = part.kind.clone().and_then(|kind| source.get(kind));
            match kind.map(|kind| (kind, SourceKind::named(kind))) {
                Some(("Deployment", _)) => items.deployments.push(Object::Text(source, part)),
                Some((_, Some(kind))) => items.sources.push((kind, Object::Text(source, part))),
                Some(("List", _)) | None => {
                    if let Some(tree) = items.parse(source, part.range) {
                        items.add(&tree, objects(&tree).into_iter());
                    }
                }
                Some(_) => {}
            }
        }
        items
    }

    fn add(&mut self, tree: &Rc<Tree<'a>>, values: impl Iterator<Item = NodeId>) {
        let mut waiting: Vec<NodeId> = values.collect();
        waiting.reverse();
        let mut lists_entered = HashSet::new();
        while let Some(node) = waiting.pop() {
            let resource = Resource {
                root: tree.value(node),
            };
            let object = || {
                Object::Parsed(Item {
                    tree: Rc::clone(tree),
                    node,
                })
            };
            match (resource.kind(), SourceKind::named(resource.kind())) {
                ("List", _) => {
                    let members = resource.root.get("items");
                    // A list that holds itself through an alias is entered once.
                    if let Some(members) =
                        members.filter(|members| members.kind() == Kind::Sequence)
                        && lists_entered.insert(members.target_id())
                    {
                        let members: Vec<NodeId> = members.members().map(Value::id).collect();
                        waiting.extend(members.into_iter().rev());
                    }
                }
                ("Deployment", _) => self.deployments.push(object()),
                (_, Some(kind)) => self.sources.push((kind, object())),
                _ => {}
            }
        }
    }

    /// Where the Secrets stand in the input.
    pub fn secrets(&self) -> impl Iterator<Item = Range<usize>> {
        let secrets = self.sources.iter();
        let secrets = secrets.filter(|(kind, _)| *kind == SourceKind::Secret);
        secrets.map(|(_, object)| match object {
            Object::Parsed(item) => item.resource().root.span(),
            Object::Text(_, part) => part.range.clone(),
        })
    }

    /// The Deployments in which some scalar can be `word`; all of them without a word. Those are told without parsing them:
    /// the text of the scalar is in theirs, or an escape is.
    pub fn deployments(&self, word: Option<&str>) -> impl Iterator<Item = Item<'a>> {
        let finder = word.map(|word| Finder::new(word).into_owned());
        let can_hold = move |object: &&Object<'a>| {
            let (Some(finder), Some(text)) = (&finder, object.text()) else {
                return true;
            };
            finder.find(text.as_bytes()).is_some() || text.contains('\\')
        };
        let found = self.deployments.iter().filter(can_hold);
        found.filter_map(|object| self.read(object))
    }

    /// The ConfigMaps or Secrets that have a name, or had it before kustomize changed it.
    #[must_use]
    pub fn named(&self, kind: SourceKind, name: &str) -> &[Named] {
        let by_name = self.by_name.get_or_init(|| self.index());
        by_name
            .get(&(kind, name.to_owned()))
            .map_or(&[], Vec::as_slice)
    }

    /// The object itself.
    #[must_use]
    pub fn source(&self, named: &Named) -> Option<Item<'a>> {
        let (_, object) = self.sources.get(named.place)?;
        self.read(object)
    }

    /// Whether a part could not be parsed by itself. What was decided on these items does not hold then; the whole input
    /// has to be parsed.
    #[must_use]
    pub fn is_misread(&self) -> bool {
        self.misread.get()
    }

    fn index(&self) -> HashMap<(SourceKind, String), Vec<Named>> {
        let mut by_name: HashMap<_, Vec<Named>> = HashMap::new();
        for (place, (kind, object)) in self.sources.iter().enumerate() {
            let Some(item) = self.read_metadata(object) else {
                continue;
            };
            let resource = item.resource();
            for name in resource.name().into_iter().chain(resource.previous_names()) {
                let named = by_name.entry((*kind, name.to_owned())).or_default();
                if named.last().is_none_or(|last| last.place != place) {
                    let namespace = resource.namespace().map(str::to_owned);
                    named.push(Named { place, namespace });
                }
            }
        }
        by_name
    }

    fn read(&self, object: &Object<'a>) -> Option<Item<'a>> {
        match object {
            Object::Parsed(item) => Some(item.clone()),
            Object::Text(source, part) => self.parse_object(source, part.range.clone()),
        }
    }

    /// The object, or one that has nothing but its metadata.
    fn read_metadata(&self, object: &Object<'a>) -> Option<Item<'a>> {
        match object {
            Object::Text(
                source,
                Part {
                    metadata: Some(metadata),
                    ..
                },
            ) => self.parse_object(source, metadata.clone()),
            _ => self.read(object),
        }
    }

    fn parse_object(&self, source: &'a str, range: Range<usize>) -> Option<Item<'a>> {
        let tree = self.parse(source, range)?;
        let node = objects(&tree).into_iter().next();
        self.misread.set(self.misread.get() || node.is_none());
        Some(Item { node: node?, tree })
    }

    fn parse(&self, source: &'a str, range: Range<usize>) -> Option<Rc<Tree<'a>>> {
        let tree = parse_range(source, range).ok();
        self.misread.set(self.misread.get() || tree.is_none());
        tree.map(Rc::new)
    }
}

/// What a part holds: an item of a list is a sequence of one.
fn objects(tree: &Tree<'_>) -> Vec<NodeId> {
    let documents = tree.documents();
    documents
        .flat_map(|document| match document.kind() {
            Kind::Sequence => document.members().map(Value::id).collect(),
            _ => vec![document.id()],
        })
        .collect()
}
