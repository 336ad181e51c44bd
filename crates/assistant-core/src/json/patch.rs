//! Applies JSON Patch (RFC 6902), with which agents change shared state.
//!
//! [`apply`] is atomic: every change is recorded with its inverse, so that a failed patch is
//! reverted without a copy of the document. Unknown members of an operation are ignored. The order
//! of keys is preserved.
//!
//! Patches are untrusted input: a patch may neither nest a document deeper than `serde_json` can
//! parse, nor grow it without limit by copies, nor move its content without limit. `budget` defines
//! the limits; paths are parsed by [`super::pointer`].

mod budget;
mod value;

use super::pointer::{Pointer, parse_index};
pub(crate) use budget::PatchBounds;
use budget::PatchBudget;
use serde_json::{Map, Value};
use std::error::Error;
use std::fmt;
use value::NODE_SIZE;
pub(crate) use value::{size_of, size_of_object};

/// An error that caused a patch to be rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PatchError {
    pub(crate) operation: usize,
    pub(crate) kind: PatchErrorKind,
}

/// The kind of a [`PatchError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatchErrorKind {
    /// The operation is not an object, or its `op` is missing or unknown.
    UnknownOperation,
    /// `path`, `from` or `value` is missing or of the wrong type.
    MissingMember(&'static str),
    /// `path` or `from` is not a JSON Pointer.
    InvalidPointer,
    /// The location does not exist, or the array has no such index.
    NotFound,
    /// The target of a `move` is inside the moved value.
    MoveIntoItself,
    /// `test` found a different value.
    TestFailed,
    /// The document would nest too deeply.
    TooDeep,
    /// The patch copies, moves or shifts too much, or makes the document too large.
    OverBudget,
    /// The document would no longer be an object ([`apply_to_object`]).
    NotAnObject,
}

impl PatchError {
    /// Returns the zero-based index of the operation that failed.
    #[must_use]
    pub const fn operation(&self) -> usize {
        self.operation
    }

    /// Returns the kind of the error.
    #[must_use]
    pub const fn kind(&self) -> PatchErrorKind {
        self.kind
    }

    /// Returns true if the patch exceeds a limit; false if it is malformed or does not fit the
    /// document.
    #[must_use]
    pub const fn exceeds_limit(&self) -> bool {
        matches!(
            self.kind,
            PatchErrorKind::TooDeep | PatchErrorKind::OverBudget
        )
    }
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JSON patch operation {}: ", self.operation)?;
        match self.kind {
            PatchErrorKind::UnknownOperation => f.write_str("unknown operation"),
            PatchErrorKind::MissingMember(name) => write!(f, "`{name}` is missing"),
            PatchErrorKind::InvalidPointer => f.write_str("not a JSON pointer"),
            PatchErrorKind::NotFound => f.write_str("the place does not exist"),
            PatchErrorKind::MoveIntoItself => f.write_str("a value cannot be moved into itself"),
            PatchErrorKind::TestFailed => f.write_str("the test failed"),
            PatchErrorKind::TooDeep => f.write_str("the document would be nested too deep"),
            PatchErrorKind::OverBudget => f.write_str("it copies or moves too much"),
            PatchErrorKind::NotAnObject => f.write_str("the document would not be an object"),
        }
    }
}

impl Error for PatchError {}

/// Applies all operations of `patch` to `target`.
///
/// If an operation removes the root, the document becomes `null`.
///
/// ```
/// use assistant_core::json::patch::apply;
/// use serde_json::json;
///
/// let mut state = json!({"steps": ["plan"]});
/// apply(&mut state, &[json!({"op": "add", "path": "/steps/-", "value": "run"})])?;
/// assert_eq!(state, json!({"steps": ["plan", "run"]}));
/// # Ok::<(), assistant_core::json::patch::PatchError>(())
/// ```
///
/// # Errors
///
/// Fails if an operation is malformed, does not fit the document or exceeds a limit; the document
/// is then unchanged. Copied, moved and shifted values are limited. Values within the patch are
/// limited only in depth, since they are proportional to the size of the patch.
pub fn apply(target: &mut Value, patch: &[Value]) -> Result<(), PatchError> {
    apply_with_check(target, patch, |_| true)
}

/// Applies all operations of `patch` to an object, which must remain an object.
///
/// # Errors
///
/// Fails if [`apply`] would fail, or if the root would not remain an object. In the second case,
/// the error contains the index of the last operation.
pub fn apply_to_object(target: &mut Value, patch: &[Value]) -> Result<(), PatchError> {
    apply_with_check(target, patch, Value::is_object)
}

fn apply_with_check(
    target: &mut Value,
    patch: &[Value],
    is_valid: fn(&Value) -> bool,
) -> Result<(), PatchError> {
    let transaction = PatchTransaction {
        target,
        undo: Vec::new(),
        budget: PatchBudget::default(),
    };
    transaction.apply_operations(patch, |transaction| match is_valid(transaction.target) {
        true => Ok(()),
        false => Err(PatchErrorKind::NotAnObject),
    })
}

/// Applies all operations of `patch` to a document of the given size ([`size_of`]), and updates the
/// size. If `object` is true, the document must remain an object. A patch that makes the document
/// larger is rejected if the new size exceeds the limit. If a patch is rejected, the document and
/// the size are unchanged.
///
/// The cost is proportional to the patch and the replaced values, not to the document.
pub(crate) fn apply_within(
    target: &mut Value,
    patch: &[Value],
    size: &mut usize,
    (object, bounds): (bool, PatchBounds),
) -> Result<(), PatchError> {
    let old_size = *size;
    let transaction = PatchTransaction {
        target,
        undo: Vec::new(),
        budget: PatchBudget::with_tracked_size(old_size, bounds),
    };
    transaction.apply_operations(patch, |transaction| {
        let new_size = transaction.budget.size().unwrap_or(old_size);
        if new_size > bounds.document && new_size > old_size {
            return Err(PatchErrorKind::OverBudget);
        }
        if object && !transaction.target.is_object() {
            return Err(PatchErrorKind::NotAnObject);
        }
        *size = new_size;
        Ok(())
    })
}

/// The inverse of a change.
enum Undo {
    /// Restores the previous value at a path.
    Put(Pointer, Value),
    /// Removes the value at a path.
    Remove(Pointer),
    /// Inserts the value again at its position in the container.
    Insert(Pointer, usize, Value),
    /// Moves a value from `path` back to its position at `from`, and restores the replaced value
    /// `old` at `path`.
    Return {
        path: Pointer,
        old: Option<Value>,
        from: Pointer,
        index: usize,
    },
}

struct PatchTransaction<'a> {
    target: &'a mut Value,
    undo: Vec<Undo>,
    budget: PatchBudget,
}

type PatchResult<T = ()> = Result<T, PatchErrorKind>;

impl PatchTransaction<'_> {
    /// Executes all operations and then a check. If an operation or the check fails, reverts the
    /// document.
    fn apply_operations(
        mut self,
        patch: &[Value],
        check: impl FnOnce(&Self) -> PatchResult,
    ) -> Result<(), PatchError> {
        let mut error = None;
        for (operation, op) in patch.iter().enumerate() {
            if let Err(kind) = self.apply_operation(op) {
                error = Some(PatchError { operation, kind });
                break;
            }
        }
        let operation = patch.len().saturating_sub(1);
        let error = error.or_else(|| {
            check(&self)
                .err()
                .map(|kind| PatchError { operation, kind })
        });
        match error {
            None => Ok(()),
            Some(error) => {
                self.roll_back();
                Err(error)
            }
        }
    }

    /// Records the change of the document's size after the value at `path` replaced `old`. If `old`
    /// is `None`, the key of the new member is included.
    fn record_put(&mut self, path: &Pointer, old: Option<&Value>) {
        if !self.budget.is_size_tracked() {
            return;
        }
        let value_size = path.get(self.target).map_or(0, size_of);
        let key_size = if old.is_none() {
            self.key_size(path)
        } else {
            0
        };
        self.budget
            .record_size_change(value_size + key_size, old.map_or(0, size_of));
    }

    /// Records the change of the document's size after the value `old` was removed from `path`.
    fn record_removal(&mut self, path: &Pointer, old: &Value) {
        if self.budget.is_size_tracked() {
            let key_size = self.key_size(path);
            self.budget.record_size_change(0, size_of(old) + key_size);
        }
    }

    /// Returns the approximate memory of a member's key, in bytes; 0 for an element of an array and
    /// for the root.
    fn key_size(&mut self, path: &Pointer) -> usize {
        match path.parent_mut(self.target) {
            Some((Value::Object(_), key)) => NODE_SIZE + key.len(),
            _ => 0,
        }
    }

    fn apply_operation(&mut self, op: &Value) -> PatchResult {
        match op.get("op").and_then(Value::as_str) {
            Some("add") => self.add(parse_pointer_member(op, "path")?, operand_value(op)?),
            Some("remove") => self.remove(parse_pointer_member(op, "path")?),
            Some("replace") => self.replace(parse_pointer_member(op, "path")?, operand_value(op)?),
            Some("move") => self.move_value(
                parse_pointer_member(op, "from")?,
                parse_pointer_member(op, "path")?,
            ),
            Some("copy") => self.copy_value(
                &parse_pointer_member(op, "from")?,
                parse_pointer_member(op, "path")?,
            ),
            Some("test") => self.test_value(&parse_pointer_member(op, "path")?, operand_value(op)?),
            _ => Err(PatchErrorKind::UnknownOperation),
        }
    }

    fn add(&mut self, path: Pointer, value: &Value) -> PatchResult {
        self.budget.charge_addition(&path, value)?;
        self.insert(path, value.clone())
    }

    fn insert(&mut self, path: Pointer, value: Value) -> PatchResult {
        let result = insert_at(self.target, path, value, &mut self.budget);
        let (path, old) = result.map_err(|(_, kind)| kind)?;
        self.record_put(&path, old.as_ref());
        self.undo.push(match old {
            Some(old) => Undo::Put(path, old),
            None => Undo::Remove(path),
        });
        Ok(())
    }

    fn remove(&mut self, path: Pointer) -> PatchResult {
        if path.tokens().is_empty() {
            let old_value = self.target.take();
            self.record_put(&path, Some(&old_value));
            self.undo.push(Undo::Put(path, old_value));
            return Ok(());
        }
        let (index, old_value) = remove_at(self.target, &path, &mut self.budget)?;
        self.record_removal(&path, &old_value);
        self.undo.push(Undo::Insert(path, index, old_value));
        Ok(())
    }

    fn replace(&mut self, path: Pointer, value: &Value) -> PatchResult {
        self.budget.charge_addition(&path, value)?;
        let node = path.get_mut(self.target).ok_or(PatchErrorKind::NotFound)?;
        let old_value = std::mem::replace(node, value.clone());
        self.record_put(&path, Some(&old_value));
        self.undo.push(Undo::Put(path, old_value));
        Ok(())
    }

    fn move_value(&mut self, from: Pointer, path: Pointer) -> PatchResult {
        let value = from.get(self.target).ok_or(PatchErrorKind::NotFound)?;
        if from.is_above(&path) {
            return Err(PatchErrorKind::MoveIntoItself);
        }
        if from == path {
            return Ok(());
        }
        // The moved value is charged only if it moves deeper, since any other move cannot deepen
        // the document.
        if path.tokens().len() > from.tokens().len() {
            self.budget.charge_move(&path, value)?;
        }
        let (index, value) = remove_at(self.target, &from, &mut self.budget)?;
        let removed_key_size = if self.budget.is_size_tracked() {
            self.key_size(&from)
        } else {
            0
        };
        match insert_at(self.target, path, value, &mut self.budget) {
            Ok((path, old)) => {
                // Only the key and the replaced value are measured, since the size of the moved
                // value stays the same.
                let added_key_size = if old.is_none() {
                    self.key_size(&path)
                } else {
                    0
                };
                let replaced_value = old.as_ref().filter(|_| self.budget.is_size_tracked());
                self.budget.record_size_change(
                    added_key_size,
                    removed_key_size + replaced_value.map_or(0, size_of),
                );
                self.undo.push(Undo::Return {
                    path,
                    old,
                    from,
                    index,
                });
                Ok(())
            }
            Err((value, kind)) => {
                reinsert_at(self.target, &from, index, value);
                Err(kind)
            }
        }
    }

    fn copy_value(&mut self, from: &Pointer, path: Pointer) -> PatchResult {
        let value = from.get(self.target).ok_or(PatchErrorKind::NotFound)?;
        self.budget.charge_copy(self.target, &path, value)?;
        let value = value.clone();
        self.insert(path, value)
    }

    fn test_value(&self, path: &Pointer, expected: &Value) -> PatchResult {
        let value = path.get(self.target).ok_or(PatchErrorKind::NotFound)?;
        if value::are_equal(value, expected) {
            Ok(())
        } else {
            Err(PatchErrorKind::TestFailed)
        }
    }

    fn roll_back(self) {
        let target = self.target;
        // The budget is unlimited, since reverting costs as much as the changes, which were within
        // the budget.
        let unlimited_budget = &mut PatchBudget::unlimited();
        for undo in self.undo.into_iter().rev() {
            match undo {
                Undo::Put(path, old) => drop(replace_at(target, &path, old)),
                Undo::Remove(path) => drop(remove_at(target, &path, unlimited_budget)),
                Undo::Insert(path, index, old) => reinsert_at(target, &path, index, old),
                Undo::Return {
                    path,
                    old,
                    from,
                    index,
                } => {
                    let value = match old {
                        Some(old) => replace_at(target, &path, old),
                        None => remove_at(target, &path, unlimited_budget)
                            .ok()
                            .map(|(_, value)| value),
                    };
                    if let Some(value) = value {
                        reinsert_at(target, &from, index, value);
                    }
                }
            }
        }
    }
}

fn parse_pointer_member(op: &Value, member: &'static str) -> PatchResult<Pointer> {
    let text = op.get(member).and_then(Value::as_str);
    let text = text.ok_or(PatchErrorKind::MissingMember(member))?;
    Pointer::parse(text).ok_or(PatchErrorKind::InvalidPointer)
}

fn operand_value(op: &Value) -> PatchResult<&Value> {
    op.get("value")
        .ok_or(PatchErrorKind::MissingMember("value"))
}

/// Inserts a value as the operation `add` does. Returns the path, with `-` resolved to an index,
/// and the replaced value. If the location does not exist or the budget does not suffice, returns
/// the value itself with the error.
fn insert_at(
    root: &mut Value,
    path: Pointer,
    value: Value,
    budget: &mut PatchBudget,
) -> Result<(Pointer, Option<Value>), (Value, PatchErrorKind)> {
    if path.tokens().is_empty() {
        return Ok((path, Some(std::mem::replace(root, value))));
    }
    match path.parent_mut(root) {
        Some((Value::Object(map), key)) => {
            let old = map.insert(key.to_owned(), value);
            Ok((path, old))
        }
        Some((Value::Array(items), token)) => {
            let index = if token == "-" {
                Some(items.len())
            } else {
                parse_index(token)
            };
            let Some(index) = index.filter(|index| *index <= items.len()) else {
                return Err((value, PatchErrorKind::NotFound));
            };
            if let Err(kind) = budget.charge_shift(items.len() - index) {
                return Err((value, kind));
            }
            items.insert(index, value);
            Ok((path.with_last_token(index.to_string()), None))
        }
        _ => Err((value, PatchErrorKind::NotFound)),
    }
}

/// Removes a value other than the root. Returns its position in the container and the value. Fails
/// if the location does not exist or the budget does not suffice.
fn remove_at(
    root: &mut Value,
    path: &Pointer,
    budget: &mut PatchBudget,
) -> PatchResult<(usize, Value)> {
    let not_found = PatchErrorKind::NotFound;
    match path.parent_mut(root).ok_or(not_found)? {
        (Value::Object(map), key) if map.contains_key(key) => {
            let index = member_position(map, key).ok_or(not_found)?;
            budget.charge_shift(map.len() - index + index.min(map.len() - index))?;
            Ok((index, map.shift_remove(key).ok_or(not_found)?))
        }
        (Value::Array(items), token) => {
            let index = parse_index(token).filter(|index| *index < items.len());
            let index = index.ok_or(not_found)?;
            budget.charge_shift(items.len() - index)?;
            Ok((index, items.remove(index)))
        }
        _ => Err(not_found),
    }
}

/// Returns the position of a member; `None` if the object has no such member. The search alternates
/// between the beginning and the end, since most removed members are near the end.
fn member_position(map: &Map<String, Value>, key: &str) -> Option<usize> {
    let mut keys = map.keys().enumerate();
    loop {
        let (index, name) = keys.next()?;
        if name == key {
            return Some(index);
        }
        let (index, name) = keys.next_back()?;
        if name == key {
            return Some(index);
        }
    }
}

/// Inserts a removed value at its previous position in its container.
fn reinsert_at(root: &mut Value, path: &Pointer, index: usize, value: Value) {
    match path.parent_mut(root) {
        Some((Value::Object(map), key)) => {
            map.shift_insert(index.min(map.len()), key.to_owned(), value);
        }
        Some((Value::Array(items), _)) => items.insert(index.min(items.len()), value),
        _ => {}
    }
}

fn replace_at(root: &mut Value, path: &Pointer, value: Value) -> Option<Value> {
    path.get_mut(root)
        .map(|node| std::mem::replace(node, value))
}
