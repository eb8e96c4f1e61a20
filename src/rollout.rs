//! The rollout: every operator's decision put together, as edits of the text and outcomes to tell.

use std::rc::Rc;

use crate::decision::{decide, invalid_deployment, not_editable};
use crate::function_config::OperatorRollout;
use crate::function_config::read::Fault;
use crate::items::Items;
use crate::operator::{operator, word_in_manifest};
use crate::resource::{Item, Resource};
use crate::results::{Field, Outcome, Reason, Severity};
use crate::yaml::edit::{Assignment, plan};
use crate::yaml::{Splice, Tree};

/// What is to be done to the text, and what to say about it.
#[derive(Clone, Debug, Default)]
pub struct Rollout {
    /// None where an outcome is an error.
    pub edits: Vec<Splice>,
    /// What happened and why, in the order of the items.
    pub outcomes: Vec<Outcome>,
}

impl Rollout {
    /// A rollout that changes nothing and says why not.
    #[must_use]
    pub fn refused(outcomes: Vec<Outcome>) -> Self {
        Self {
            edits: Vec::new(),
            outcomes,
        }
    }

    /// Whether an outcome is an error.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        has_error(&self.outcomes)
    }
}

/// The faults of a function config as outcomes.
#[must_use]
pub fn invalid_config(config: Option<Resource<'_>>, faults: Vec<Fault>) -> Rollout {
    let about = |outcome: Outcome| match config {
        Some(config) => outcome.about(config.reference(), config.file()),
        None => outcome,
    };
    let outcome = |fault: Fault| {
        let message = format!("function config: {fault}");
        let field = Field {
            path: fault.path,
            current_value: fault.found.map(Into::into),
            proposed_value: fault.proposed.map(Into::into),
        };
        about(
            Outcome::new(Reason::InvalidFunctionConfig, Severity::Error, message).with_field(field),
        )
    };
    Rollout::refused(faults.into_iter().map(outcome).collect())
}

/// Works out what the function config asks for.
#[must_use]
pub fn roll_out(items: &Items<'_>, config: &OperatorRollout) -> Rollout {
    let mut plan = Plan::default();
    let mut outcomes = Vec::new();
    let mut found_any = false;
    for item in items.deployments(word_in_manifest(&config.target)) {
        match operator(item.resource(), &config.target) {
            Ok(None) => {}
            Ok(Some(operator)) => {
                found_any = true;
                let (assignments, told) = decide(&operator, items, config);
                outcomes.extend(told);
                outcomes.extend(plan.add(&item, assignments));
            }
            // With nothing to do, nothing has to be understood.
            Err(_) if config.is_idle() => {}
            Err(error) => outcomes.push(invalid_deployment(item.resource(), &error)),
        }
        // Nothing will be changed, so that what could be said of further operators would be no result.
        if has_error(&outcomes) {
            return refused(outcomes);
        }
    }
    outcomes.extend(plan.finish_tree());
    if config.is_idle() {
        outcomes.push(nothing_to_do());
    } else if !found_any && outcomes.is_empty() {
        outcomes.push(unreadable_deployment(items, config).unwrap_or_else(|| no_operator(config)));
    }
    if has_error(&outcomes) {
        return refused(outcomes);
    }
    Rollout {
        edits: plan.edits,
        outcomes,
    }
}

/// Where an operator has to be, a Deployment of which it cannot be told may be the one.
fn unreadable_deployment(items: &Items<'_>, config: &OperatorRollout) -> Option<Outcome> {
    let must_be_there = !config.target.optional;
    items
        .deployments(None)
        .filter(|_| must_be_there)
        .find_map(|item| {
            let error = operator(item.resource(), &config.target).err()?;
            Some(invalid_deployment(item.resource(), &error))
        })
}

fn has_error(outcomes: &[Outcome]) -> bool {
    outcomes
        .iter()
        .any(|outcome| outcome.severity == Severity::Error)
}

/// Only the errors: the rest tells of changes that were not made.
fn refused(mut outcomes: Vec<Outcome>) -> Rollout {
    outcomes.retain(|outcome| outcome.severity == Severity::Error);
    Rollout::refused(outcomes)
}

/// The edits, planned tree by tree: those of one tree must know of each other, since an anchor may tie them together.
#[derive(Default)]
struct Plan<'a> {
    edits: Vec<Splice>,
    tree: Option<Rc<Tree<'a>>>,
    assignments: Vec<Assignment<'static>>,
    /// The Deployments of the tree, for an error.
    deployments: Vec<Item<'a>>,
}

impl<'a> Plan<'a> {
    fn add(&mut self, item: &Item<'a>, assignments: Vec<Assignment<'static>>) -> Option<Outcome> {
        let same_tree = self
            .tree
            .as_ref()
            .is_some_and(|tree| Rc::ptr_eq(tree, &item.tree));
        let failed = if same_tree { None } else { self.finish_tree() };
        self.tree = Some(Rc::clone(&item.tree));
        self.assignments.extend(assignments);
        self.deployments.push(item.clone());
        failed
    }

    fn finish_tree(&mut self) -> Option<Outcome> {
        let tree = self.tree.take()?;
        let assignments = std::mem::take(&mut self.assignments);
        let deployments = std::mem::take(&mut self.deployments);
        match plan(&tree, &assignments) {
            Ok(edits) => {
                self.edits.extend(edits);
                None
            }
            Err(refused) => deployments
                .iter()
                .find(|item| item.node == refused.root)
                .map(|item| not_editable(item.resource(), &refused.error)),
        }
    }
}

fn nothing_to_do() -> Outcome {
    let message =
        "nothing to do: restartOnConfigChange is false and deploymentAnnotations is empty";
    Outcome::new(Reason::NothingToDo, Severity::Info, message)
}

fn no_operator(config: &OperatorRollout) -> Outcome {
    let severity = if config.target.optional {
        Severity::Info
    } else {
        Severity::Error
    };
    let message = if config.target.selects() {
        "no Deployment matches `target`; expected one with that name, namespace and labels"
    } else {
        "no Deployment runs the Flink Kubernetes Operator (`docker-entrypoint.sh operator`); name it with `target`, or allow this with `target.optional: true`"
    };
    Outcome::new(Reason::NoOperatorDeployment, severity, message)
}
