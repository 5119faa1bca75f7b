/// Names the plugin, once in a library. Both must be string literals.
@freestanding(declaration, names: named(spin_plugin), named(spin_note_spin_plugin))
public macro plugin(_ id: String, _ version: String) =
    #externalMacro(module: "SpinPluginMacros", type: "Plugin")

/// Offers a function as an effect, with its doc comment.
///
/// ```swift
/// /// The number of words in `text`.
/// @Effect func count(text: String) -> Int64 { Int64(text.split(separator: " ").count) }
/// ```
///
/// Parameters: `Bool`, integers with a size, `Float`, `Double`, `String`, `[UInt8]`, `[String]`, `Duration`,
/// `Timestamp`. The type must be written with this name. An effect that continues after its return takes a
/// `Call` first, and must end it. It may take `SharedBytes`, and keep them longer than the call. An effect of a
/// plugin with instances may take the class of `@Instance` first, or after the call. The result is nothing, a
/// number, a `Bool`, a `Duration` or a `Timestamp`.
///
/// An effect that takes a `Call` may be `async`: its task is cancelled with the call, and the call ends with
/// it. It may throw: the call fails with the error's description.
///
/// - Parameters:
///   - name: the effect's name, as a literal; by default the function's.
///   - failsIf: a bool expression over `result` and `errno`, as a literal. The call has failed when it is
///     true. Not for effects that take a `Call`.
@attached(peer, names: prefixed(spin_), prefixed(spin_note_spin_), prefixed(spin_place_spin_))
public macro Effect(_ name: String = "", failsIf: String = "") =
    #externalMacro(module: "SpinPluginMacros", type: "Effect")

/// An emission: a function without a body.
///
/// ```swift
/// @Emitter func word(_ call: Call, text: String) -> Status
/// ```
///
/// It emits one event with these fields and never waits. A second function, with `waiting: Duration?` as its
/// last parameter, waits while the loop's mailbox is full. Only threads that may block call it: on the
/// executor of a loop it does nothing and returns `.unsupported`. The types are those of `@Effect`, except
/// `[String]`. The host shares `SharedBytes` and does not copy them.
///
/// - Parameter name: the emission's name, as a literal; by default the function's.
@attached(
    peer, names: overloaded, prefixed(spin_), prefixed(spin_note_spin_), prefixed(spin_place_spin_))
@attached(body)
public macro Emitter(_ name: String = "") = #externalMacro(module: "SpinPluginMacros", type: "Emitter")

/// The settings of the plugin: a struct whose variables have a type, a literal as default, and a doc comment.
///
/// ```swift
/// @Settings struct Port {
///     /// Where it is.
///     var device: String = "/dev/ttyS0"
///     /// Baud.
///     @Limits(300...115_200) var rate: Int32 = 9_600
/// }
/// ```
///
/// A manifest must set a variable without a default. The types are those of `@Effect`.
@attached(
    peer, names: prefixed(spin_settings_), prefixed(spin_note_spin_settings_),
    prefixed(spin_place_spin_settings_))
@attached(member, names: named(init(spin_settings:)))
@attached(extension, conformances: Settings)
public macro Settings() = #externalMacro(module: "SpinPluginMacros", type: "Settings")

/// The range of a setting, as literals.
@attached(peer)
public macro Limits(_ range: ClosedRange<Int>) = #externalMacro(module: "SpinPluginMacros", type: "Limits")

/// The range of a setting, as literals.
@attached(peer)
public macro Limits(_ range: ClosedRange<Double>) = #externalMacro(module: "SpinPluginMacros", type: "Limits")

/// The range of a setting, as literals.
@attached(peer)
public macro Limits(_ range: ClosedRange<Duration>) =
    #externalMacro(module: "SpinPluginMacros", type: "Limits")

/// The class of the plugin's instances. See the protocol `Instance`.
@attached(
    peer, names: prefixed(spin_instance_), prefixed(spin_note_spin_instance_),
    prefixed(spin_place_spin_instance_))
@attached(extension, conformances: Instance)
public macro Instance() = #externalMacro(module: "SpinPluginMacros", type: "Instance")

/// The class of `@Instance` starts and stops. See the protocol `Life`.
@attached(peer, names: prefixed(spin_life_), prefixed(spin_note_spin_life_), prefixed(spin_place_spin_life_))
@attached(extension, conformances: Life)
public macro Life() = #externalMacro(module: "SpinPluginMacros", type: "Life")

/// The class of `@Instance` hands its state over. The schema is an unsigned literal that changes with the
/// format of the saved state. See the protocol `Swap`.
@attached(peer, names: prefixed(spin_swap_), prefixed(spin_note_spin_swap_), prefixed(spin_place_spin_swap_))
@attached(extension, conformances: Swap)
public macro Swap(schema: UInt32) = #externalMacro(module: "SpinPluginMacros", type: "Swap")
