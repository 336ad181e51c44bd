//! Defines bounds on the closures that receive the arguments of an action. The compile errors of
//! these bounds tell how to fix the closure.
//!
//! Each trait has a second implementation that applies to no closure. With two candidates, the
//! compiler reports the trait with its message. With one candidate, the compiler would report the
//! failed bound of that implementation, which names two types and no fix.

/// A function that takes the arguments of an action (`Args` or `&Args`). The trait is implemented
/// for every `Fn(Args) -> Output`. The compiler infers `Marker`.
#[diagnostic::on_unimplemented(
    message = "this function does not take `{Args}`, which are the arguments of the action here",
    label = "must take `{Args}`",
    note = "`.handler(…)` and `.args::<T>()` set the type of the arguments: call one of them before this method",
    note = "without them the arguments are a `serde_json::Value`"
)]
pub trait ArgsFn<Args, Output, Marker>: Fn(Args) -> Output {}

/// A function that takes the arguments of a denied call and the user's reason. The trait is
/// implemented for every `Fn(&Args, Option<&str>) -> Output`. The compiler infers `Marker`.
#[diagnostic::on_unimplemented(
    message = "this function does not take `&{Args}` and `Option<&str>`, which are the arguments of the action here and the reason",
    label = "must take `&{Args}` and `Option<&str>`",
    note = "`.handler(…)` and `.args::<T>()` set the type of the arguments: call one of them before this method",
    note = "without them the arguments are a `serde_json::Value`"
)]
pub trait DenialFn<Args, Output, Marker>: Fn(&Args, Option<&str>) -> Output {}

/// The type of `Marker` in the implementations that apply to functions.
#[doc(hidden)]
#[derive(Debug)]
pub struct Applies;

/// The type of `Marker` in the implementations that apply to no function.
#[doc(hidden)]
#[derive(Debug)]
pub struct Never;

/// A trait that no function implements.
trait NoFunction {}

impl NoFunction for Never {}

impl<F: Fn(Args) -> Output, Args, Output> ArgsFn<Args, Output, Applies> for F {}

impl<F: Fn(Args) -> Output + NoFunction, Args, Output> ArgsFn<Args, Output, Never> for F {}

impl<F: Fn(&Args, Option<&str>) -> Output, Args, Output> DenialFn<Args, Output, Applies> for F {}

impl<F: Fn(&Args, Option<&str>) -> Output + NoFunction, Args, Output> DenialFn<Args, Output, Never>
    for F
{
}
