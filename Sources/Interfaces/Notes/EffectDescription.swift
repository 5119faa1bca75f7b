/// The description of an effect in its plugin's notes.
public struct EffectDescription: Hashable, Sendable {
    /// Its name: the part after `PLUGIN:` in a manifest, and the function's name.
    public let name: String
    /// The function.
    public let function: CFunction
    /// A bool expression over `result` and `errno` that is true for a failed call; empty if there is none.
    public let failsIf: String
    /// Its documentation; may be empty.
    public let doc: String

    /// True if its first parameter is `spin_call *`. Then it may emit, and may end its call after it has
    /// returned.
    public var isEmitting: Bool { function.isEmitting }

    /// True if it takes `spin_self *`, an instance of the plugin.
    public var takesInstance: Bool { function.takesInstance }

    /// The effect `PLUGIN:*`, which each plugin with instances has: it lasts, and emits what the plugin's
    /// instance emits by itself (`spin_instance_call`).
    public static let listening = EffectDescription(
        name: "*", function: .listening, failsIf: "",
        doc: "Emits what the plugin's instance emits by itself.")
}
