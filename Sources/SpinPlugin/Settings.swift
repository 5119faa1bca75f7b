/// The settings of a plugin: the struct with the macro `@Settings`, or `NoSettings`.
public protocol Settings {
    /// Reads the struct that the host passes. For the macro.
    init(spin_settings: UnsafeRawPointer)
}

/// The settings of a plugin without settings.
public struct NoSettings: Settings {
    /// For the macro.
    public init(spin_settings: UnsafeRawPointer) {}
}
