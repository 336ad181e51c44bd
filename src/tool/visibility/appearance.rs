//! Examines the styles by which a page can hide an element that is in view and not covered.

use leptos::prelude::{document, window};
use wasm_bindgen::JsCast;
use web_sys::{CssStyleDeclaration, Element, HtmlElement, Node, ShadowRoot};

/// The minimum height of a readable line, in pixels.
const MIN_LINE_HEIGHT: f64 = 5.0;
const MIN_OPACITY: f64 = 0.9;
const MIN_SCALE: f64 = 0.5;
/// The maximum negative letter spacing, as a share of the font size.
const MAX_NEGATIVE_SPACING: f64 = 0.2;
/// The minimum contrast between text and background; readable text has a contrast of at least 4.5.
const MIN_CONTRAST: f64 = 1.3;

/// The CSS properties that can hide or distort an element, with the values that have no effect.
const EFFECTS: [(&str, &[&str]); 6] = [
    ("filter", &["none", ""]),
    ("clip-path", &["none", ""]),
    ("mask-image", &["none", ""]),
    ("-webkit-mask-image", &["none", ""]),
    ("mix-blend-mode", &["normal", ""]),
    ("rotate", &["none", ""]),
];

/// Returns true if no style of an element or of its ancestors, up to a modal dialog, hides the
/// element.
pub(super) fn is_shown(element: &Element) -> bool {
    let mut next_element = Some(element.clone());
    while let Some(element) = next_element {
        if !has_plain_effects(&element) {
            return false;
        }
        // The ancestors of a modal dialog are not examined, because their effects do not apply to
        // the dialog.
        if element.matches(":modal").unwrap_or(false) {
            return true;
        }
        next_element = parent_or_host(&element);
    }
    true
}

/// Returns true if no style of an element or of its ancestors inside of the card hides the element,
/// and the element's text is legible. Returns true for the card itself.
pub(super) fn is_shown_within(element: &Element, card: &Element) -> bool {
    let mut next_element = Some(element.clone());
    while let Some(inner) = next_element.filter(|inner| inner != card) {
        if !has_plain_effects(&inner) {
            return false;
        }
        next_element = parent_or_host(&inner);
    }
    element == card || is_legible(element)
}

/// Returns the parent of an element, or the host if the element is at the top of a shadow root;
/// `None` for the topmost element of the document.
pub(super) fn parent_or_host(element: &Element) -> Option<Element> {
    let host = || {
        let root: ShadowRoot = element.get_root_node().dyn_into().ok()?;
        Some(root.host())
    };
    element.parent_element().or_else(host)
}

/// Returns the computed style of an element; `None` if the browser does not provide the style.
pub(super) fn computed_style(element: &Element) -> Option<CssStyleDeclaration> {
    let window = document().default_view()?;
    window.get_computed_style(element).ok()?
}

/// Returns the computed value of a property; empty if the browser does not support the property.
pub(super) fn property_value(style: &CssStyleDeclaration, name: &str) -> String {
    style.get_property_value(name).unwrap_or_default()
}

/// Parses the number at the start of a computed value; `None` if the value does not begin with a
/// number. Uses the browser's parser, because the tables of Rust's parser would add twelve
/// kilobytes to the module.
#[cfg(target_arch = "wasm32")]
fn parse_number(text: &str) -> Option<f64> {
    let number = js_sys::Number::parse_float(text);
    (!number.is_nan()).then_some(number)
}

/// Parses a number, for the tests below, which run without a browser.
#[cfg(not(target_arch = "wasm32"))]
fn parse_number(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn is_field(element: &Element) -> bool {
    element.matches("input, select, textarea").unwrap_or(false)
}

fn has_plain_effects(element: &Element) -> bool {
    let Some(style) = computed_style(element) else {
        return true;
    };
    parse_number(&property_value(&style, "opacity")).unwrap_or(1.0) >= MIN_OPACITY
        && EFFECTS.iter().all(|(name, plain_values)| {
            plain_values.contains(&property_value(&style, name).as_str())
        })
        && is_undistorted(&property_value(&style, "transform"))
        && is_unscaled(element)
}

/// Returns true if a computed transform does not rotate, skew or mirror an element, and does not
/// shrink the element below [`MIN_SCALE`]. Returns false for every 3D transform.
fn is_undistorted(transform: &str) -> bool {
    let Some(matrix) = transform.strip_prefix("matrix(") else {
        return matches!(transform, "none" | "");
    };
    let numbers = matrix.trim_end_matches(')').split(',');
    let numbers: Vec<f64> = numbers
        .map_while(|text| parse_number(text.trim()))
        .collect();
    let &[a, b, c, d, ..] = numbers.as_slice() else {
        return false;
    };
    a >= MIN_SCALE && d >= MIN_SCALE && b.abs() < 0.05 && c.abs() < 0.05
}

/// Returns true if the drawn width of an element is at least [`MIN_SCALE`] of the layout width.
/// Returns true for an element without a layout width.
fn is_unscaled(element: &Element) -> bool {
    let Some(html_element) = element.dyn_ref::<HtmlElement>() else {
        return true;
    };
    let layout_width = f64::from(html_element.offset_width());
    layout_width < 1.0 || element.get_bounding_client_rect().width() >= layout_width * MIN_SCALE
}

/// Returns true if an element is visible, no style sheet adds text to the element, and its first
/// text is inside of the element, large enough, readably spaced, and in contrast with the
/// background. For form fields and for elements without text, only the property `visibility` is
/// checked.
fn is_legible(element: &Element) -> bool {
    let Some(style) = computed_style(element) else {
        return true;
    };
    if !matches!(
        property_value(&style, "visibility").as_str(),
        "visible" | ""
    ) {
        return false;
    }
    // Fields are not examined further, because the text in a field has no box of its own.
    let Some(text) = first_text(element).filter(|_| !is_field(element)) else {
        return true;
    };
    if !has_no_added_text(element) || !has_readable_spacing(&text) {
        return false;
    }
    let Ok(range) = document().create_range() else {
        return true;
    };
    if range.select_node_contents(&text).is_err() {
        return true;
    }
    let (text_box, element_box) = (
        range.get_bounding_client_rect(),
        element.get_bounding_client_rect(),
    );
    // The scroll position is included, because text that can be scrolled into view counts as
    // inside.
    let (left, top) = (
        element_box.left() - f64::from(element.scroll_left()),
        element_box.top() - f64::from(element.scroll_top()),
    );
    let is_inside = text_box.right() > left
        && text_box.left() < left + element_box.width().max(element.scroll_width().into())
        && text_box.bottom() > top
        && text_box.top() < top + element_box.height().max(element.scroll_height().into());
    is_inside
        && text_box.height() >= MIN_LINE_HEIGHT
        && has_contrast(text.parent_element().as_ref())
}

/// Returns true if no style sheet adds text to an element.
fn has_no_added_text(element: &Element) -> bool {
    ["::before", "::after"]
        .iter()
        .all(|pseudo| has_no_pseudo_element(element, pseudo))
}

/// Returns true if a pseudo-element of an element has no content.
pub(super) fn has_no_pseudo_element(element: &Element, pseudo: &str) -> bool {
    let style = document().default_view().and_then(|window| {
        let style = window.get_computed_style_with_pseudo_elt(element, pseudo);
        style.ok().flatten()
    });
    style.is_none_or(|style| {
        matches!(
            property_value(&style, "content").as_str(),
            "none" | "normal" | ""
        )
    })
}

/// Returns true if no negative letter spacing makes the letters of a text overlap.
fn has_readable_spacing(text: &Node) -> bool {
    let Some(style) = text.parent_element().as_ref().and_then(computed_style) else {
        return true;
    };
    let in_pixels = |name: &str| parse_number(property_value(&style, name).trim_end_matches("px"));
    let (spacing, font_size) = (in_pixels("letter-spacing"), in_pixels("font-size"));
    spacing
        .zip(font_size)
        .is_none_or(|(spacing, font_size)| spacing > -MAX_NEGATIVE_SPACING * font_size)
}

/// Returns the first non-blank text below a node; `None` if all text is blank.
fn first_text(node: &Node) -> Option<Node> {
    let children = std::iter::successors(node.first_child(), Node::next_sibling);
    children.into_iter().find_map(|child| {
        if child.node_type() != Node::TEXT_NODE {
            return first_text(&child);
        }
        let text = child.text_content().unwrap_or_default();
        (!text.trim().is_empty()).then_some(child)
    })
}

fn has_contrast(element: Option<&Element>) -> bool {
    let Some(style) = element.and_then(computed_style) else {
        return true;
    };
    let fill_color = property_value(&style, "-webkit-text-fill-color");
    // With forced colours, the browser draws text in the user's colour, and reports that colour as
    // `color`.
    let color = if fill_color.is_empty() || has_forced_colors() {
        property_value(&style, "color")
    } else {
        fill_color
    };
    let color = parse_color(&color);
    if color.is_some_and(|(_, alpha)| alpha < 0.3) {
        return false;
    }
    let (Some((luminance, _)), Some(background)) = (color, element.and_then(background_luminance))
    else {
        return true;
    };
    let (light, dark) = (luminance.max(background), luminance.min(background));
    (light + 0.05) / (dark + 0.05) >= MIN_CONTRAST
}

fn has_forced_colors() -> bool {
    let query = window().match_media("(forced-colors: active)");
    query.ok().flatten().is_some_and(|query| query.matches())
}

/// Returns the luminance of the background of an element, which is the first background of the
/// element and its ancestors with an opacity of at least 0.5. `None` if there is no such
/// background, or if an image or a colour in a different format than `rgb()` or `rgba()` is found
/// first.
fn background_luminance(element: &Element) -> Option<f64> {
    let mut next_element = Some(element.clone());
    while let Some(element) = next_element {
        let style = computed_style(&element)?;
        if property_value(&style, "background-image") != "none" {
            return None;
        }
        let (luminance, alpha) = parse_color(&property_value(&style, "background-color"))?;
        if alpha >= 0.5 {
            return Some(luminance);
        }
        next_element = parent_or_host(&element);
    }
    None
}

/// Returns the luminance and the opacity of a computed colour; `None` if the colour is not in the
/// form `rgb()` or `rgba()`.
pub(super) fn parse_color(text: &str) -> Option<(f64, f64)> {
    let channels = text
        .strip_prefix("rgba(")
        .or_else(|| text.strip_prefix("rgb("))?;
    let numbers = channels.trim_end_matches(')').split(',');
    let numbers: Vec<f64> = numbers
        .map_while(|text| parse_number(text.trim()))
        .collect();
    let &[red, green, blue, ref alpha @ ..] = numbers.as_slice() else {
        return None;
    };
    let to_linear = |channel: f64| {
        let fraction = channel / 255.0;
        match fraction <= 0.040_45 {
            true => fraction / 12.92,
            false => ((fraction + 0.055) / 1.055).powf(2.4),
        }
    };
    let luminance = 0.2126 * to_linear(red) + 0.7152 * to_linear(green) + 0.0722 * to_linear(blue);
    Some((luminance, alpha.first().copied().unwrap_or(1.0)))
}

#[cfg(test)]
mod tests {
    use super::{is_undistorted, parse_color};

    #[test]
    fn translations_and_enlargements_keep_the_shape() {
        assert!(is_undistorted("none"));
        assert!(is_undistorted("matrix(1, 0, 0, 1, 40, -7)"));
        assert!(is_undistorted("matrix(1.5, 0, 0, 1.5, 0, 0)"));
        for transform in [
            "matrix(0.01, 0, 0, 0.01, 0, 0)",
            "matrix(0, 1, -1, 0, 0, 0)",
            "matrix3d(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)",
            "matrix(1)",
        ] {
            assert!(!is_undistorted(transform), "{transform}");
        }
    }

    #[test]
    fn a_colour_is_parsed_to_luminance_and_opacity() {
        let (luminance, opacity) = parse_color("rgb(255, 255, 255)").unwrap();
        assert!((luminance - 1.0).abs() < 1e-9 && (opacity - 1.0).abs() < 1e-9);
        assert_eq!(parse_color("rgba(0, 0, 0, 0)"), Some((0.0, 0.0)));
        assert_eq!(parse_color("oklch(0.5 0.1 20)"), None);
    }
}
