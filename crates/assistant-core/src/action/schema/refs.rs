//! Resolves references in a schema by resources (`$id`), anchors and JSON Pointers.
//!
//! The index is built in one pass over the locations where the draft permits schemas, so an `$id`
//! inside an `enum` or an unknown keyword is ignored. Only the given schema is searched.

use core::ptr;
use std::borrow::Cow;

use serde_json::{Map, Value};

use super::uri;

/// The maximum length of an identifier, in bytes. Longer identifiers are not found.
const MAX_URI_LEN: usize = 4096;

/// The maximum number of resources. Further resources are not found.
const MAX_RESOURCES: usize = 1000;

/// A schema found by a reference.
#[derive(Clone, Copy)]
pub(super) struct ResolvedSchema<'a> {
    pub(super) schema: &'a Value,
    /// The index of the resource that contains the schema.
    pub(super) resource: usize,
    /// The name of the anchor, if the schema was found by a `$dynamicAnchor`.
    pub(super) dynamic: Option<&'a str>,
}

struct Anchor<'a> {
    name: &'a str,
    schema: &'a Value,
    dynamic: bool,
}

struct Resource<'a> {
    uri: String,
    root: &'a Value,
    anchors: Vec<Anchor<'a>>,
}

/// All resources of one schema. The first resource is the schema itself.
pub(super) struct SchemaIndex<'a> {
    resources: Vec<Resource<'a>>,
}

impl<'a> SchemaIndex<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        let root_resource = Resource {
            uri: String::new(),
            root,
            anchors: Vec::new(),
        };
        let mut index = Self {
            resources: vec![root_resource],
        };
        // The traversal is not recursive, because the sender of a schema chooses its depth.
        let mut open_schemas = vec![(root, 0)];
        while let Some((schema, resource)) = open_schemas.pop() {
            if let Value::Object(map) = schema {
                let resource = index.index_schema(schema, map, resource);
                for (keyword, value) in map {
                    push_subschemas(keyword, value, resource, &mut open_schemas);
                }
            }
        }
        index
    }

    /// Records the identifiers of one schema and returns the index of its resource.
    fn index_schema(
        &mut self,
        schema: &'a Value,
        map: &'a Map<String, Value>,
        outer: usize,
    ) -> usize {
        let mut current_resource = outer;
        if let Some(id) = map.get("$id").and_then(Value::as_str) {
            let (id, _) = split_fragment(id);
            let base = self
                .resources
                .get(outer)
                .map_or("", |resource| &resource.uri);
            let uri = uri::resolve(base, id);
            let is_within_limits = uri.len() <= MAX_URI_LEN && self.resources.len() < MAX_RESOURCES;
            match self
                .resources
                .get_mut(0)
                .filter(|first| ptr::eq(first.root, schema))
            {
                Some(first) if is_within_limits => first.uri = uri,
                None if is_within_limits && !id.is_empty() => {
                    current_resource = self.resources.len();
                    self.resources.push(Resource {
                        uri,
                        root: schema,
                        anchors: Vec::new(),
                    });
                }
                _ => {}
            }
        }
        let anchors = self
            .resources
            .get_mut(current_resource)
            .map(|resource| &mut resource.anchors);
        if let Some(anchors) = anchors {
            for (keyword, dynamic) in [("$anchor", false), ("$dynamicAnchor", true)] {
                if let Some(name) = map.get(keyword).and_then(Value::as_str) {
                    anchors.push(Anchor {
                        name,
                        schema,
                        dynamic,
                    });
                }
            }
        }
        current_resource
    }

    pub(super) fn resource_count(&self) -> usize {
        self.resources.len()
    }

    pub(super) fn anchor_count(&self, resource: usize) -> usize {
        self.resources
            .get(resource)
            .map_or(0, |resource| resource.anchors.len())
    }

    /// Returns the index of the resource with this schema as its root, if such a resource exists.
    pub(super) fn resource_at(&self, schema: &Value) -> Option<usize> {
        self.resources
            .iter()
            .position(|resource| ptr::eq(resource.root, schema))
    }

    /// Resolves `reference` as written in the resource `from`. Returns `None` if the schema is not
    /// found.
    pub(super) fn resolve_reference(
        &self,
        from: usize,
        reference: &str,
    ) -> Option<ResolvedSchema<'a>> {
        let (document, fragment) = split_fragment(reference);
        let resource = if document.is_empty() {
            from
        } else {
            let uri = uri::resolve(&self.resources.get(from)?.uri, document);
            self.resources
                .iter()
                .position(|resource| resource.uri == uri)?
        };
        let fragment = decode_percent(fragment)?;
        match fragment.strip_prefix('/') {
            Some(pointer) => self.follow_pointer(resource, pointer),
            None if fragment.is_empty() => Some(ResolvedSchema {
                schema: self.root(resource),
                resource,
                dynamic: None,
            }),
            None => self.find_anchor(resource, &fragment, false),
        }
    }

    /// Returns the schema with this `$dynamicAnchor` in `resource`, if such a schema exists.
    pub(super) fn find_dynamic_anchor(
        &self,
        resource: usize,
        name: &str,
    ) -> Option<ResolvedSchema<'a>> {
        self.find_anchor(resource, name, true)
    }

    fn find_anchor(
        &self,
        resource: usize,
        name: &str,
        only_dynamic: bool,
    ) -> Option<ResolvedSchema<'a>> {
        let mut anchors = self.resources.get(resource)?.anchors.iter();
        let anchor =
            anchors.find(|anchor| anchor.name == name && (anchor.dynamic || !only_dynamic))?;
        let dynamic_name = anchor.dynamic.then_some(anchor.name);
        Some(ResolvedSchema {
            schema: anchor.schema,
            resource,
            dynamic: dynamic_name,
        })
    }

    /// Resolves a JSON Pointer (without its first slash), including pointers into embedded
    /// resources. Returns `None` if the location does not exist.
    fn follow_pointer(&self, resource: usize, pointer: &str) -> Option<ResolvedSchema<'a>> {
        let mut target = ResolvedSchema {
            schema: self.root(resource),
            resource,
            dynamic: None,
        };
        for step in pointer.split('/') {
            let step = unescape_step(step);
            target.schema = match target.schema {
                Value::Object(map) => map.get(&step)?,
                Value::Array(items) if step.bytes().all(|byte| byte.is_ascii_digit()) => {
                    items.get(step.parse::<usize>().ok()?)?
                }
                _ => return None,
            };
            if target.schema.get("$id").is_some() {
                target.resource = self.resource_at(target.schema).unwrap_or(target.resource);
            }
        }
        Some(target)
    }

    fn root(&self, resource: usize) -> &'a Value {
        self.resources
            .get(resource)
            .map_or(&Value::Null, |resource| resource.root)
    }
}

/// Pushes the schemas directly under one keyword to `open`.
fn push_subschemas<'a>(
    keyword: &str,
    value: &'a Value,
    resource: usize,
    open: &mut Vec<(&'a Value, usize)>,
) {
    match (keyword, value) {
        (
            "items"
            | "additionalItems"
            | "contains"
            | "not"
            | "if"
            | "then"
            | "else"
            | "propertyNames"
            | "additionalProperties"
            | "unevaluatedItems"
            | "unevaluatedProperties"
            | "contentSchema",
            Value::Object(_),
        ) => open.push((value, resource)),
        ("allOf" | "anyOf" | "oneOf" | "prefixItems" | "items", Value::Array(schemas)) => {
            open.extend(schemas.iter().map(|schema| (schema, resource)));
        }
        (
            "$defs" | "definitions" | "properties" | "patternProperties" | "dependentSchemas"
            | "dependencies",
            Value::Object(schemas),
        ) => open.extend(schemas.values().map(|schema| (schema, resource))),
        _ => {}
    }
}

fn split_fragment(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// Unescapes one step of a JSON Pointer.
fn unescape_step(step: &str) -> String {
    let mut key = String::with_capacity(step.len());
    let mut characters = step.chars();
    while let Some(character) = characters.next() {
        key.push(match character {
            '~' if characters.next() == Some('1') => '/',
            other => other,
        });
    }
    key
}

/// Decodes percent-encoding. Returns `None` if the text is not percent-encoded UTF-8.
fn decode_percent(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded_bytes = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded_bytes.push(if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            u8::try_from(high * 16 + low).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(decoded_bytes).ok().map(Cow::Owned)
}
