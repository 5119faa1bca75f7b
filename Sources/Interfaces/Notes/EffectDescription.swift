/// An effect as its plugin describes it.
public struct EffectDescription: Hashable, Sendable {
    /// What a manifest calls it after `PLUGIN:`; also the function's name.
    public let name: String
    /// The function.
    public let function: CFunction
    /// A bool expression over `result` and `errno` that means failure; empty for none.
    public let failsIf: String
    /// What it does; may be empty.
    public let doc: String

    /// True when its first parameter is `spin_call *`: it may emit, and be done later than it returns.
    public var isEmitting: Bool { function.isEmitting }

    /// True when it takes `spin_self *`: it is called for an instance of the plugin.
    public var takesInstance: Bool { function.takesInstance }
}
