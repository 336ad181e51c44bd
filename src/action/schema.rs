//! Derives schemas from the type of an action's arguments.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

use super::ToolAction;

impl ToolAction {
    /// Derives the schema of the arguments from their type, which implements
    /// [`JsonSchema`](schemars::JsonSchema). Comments become descriptions, `#[schemars(…)]` sets
    /// limits, and `Option` makes a field optional. This method requires the feature `schemars`,
    /// which adds about 16 KB (gzip) to the bundle.
    ///
    /// ```
    /// use leptos_assistant::{
    ///     ToolAction,
    ///     schemars::{self, JsonSchema},
    /// };
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Refund {
    ///     /// The number on the receipt.
    ///     order: String,
    ///     #[schemars(range(min = 0.01))]
    ///     euros: f64,
    ///     reason: Option<String>,
    /// }
    ///
    /// let action = ToolAction::new("refund", "Refunds an order")
    ///     .typed::<Refund>()
    ///     .handler(|refund: Refund| format!("{} € for {}", refund.euros, refund.order));
    /// ```
    #[must_use]
    pub fn typed<Args: JsonSchema>(self) -> ToolAction<Args> {
        let generator = schema_settings().into_generator();
        self.with_schema(generator.into_root_schema_for::<Args>().into())
            .args()
    }

    fn with_schema(mut self, mut schema: Value) -> Self {
        if let Value::Object(schema) = &mut schema {
            // The title is removed, because the model should receive the name of the action instead
            // of the name of the type.
            schema.shift_remove("$schema");
            schema.shift_remove("title");
        }
        self.parameters = None;
        self.spec = self.spec.with_parameters(schema);
        self
    }
}

/// Returns the settings of the schema generator. Nested types are inlined, since some providers do
/// not resolve references.
fn schema_settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true)
}
