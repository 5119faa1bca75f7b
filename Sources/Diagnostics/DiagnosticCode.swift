/// The stable name of a kind of diagnostic, such as `M012`; it never changes its meaning.
///
/// Its letter names the part: `M` manifest, `T` TOML, `E` expressions, `C` C declarations and calls, `P`
/// libraries, plugins and the output, `R` faults of a run, `U` the command line. Each module lists its codes
/// in one file, with one sentence each; `docs/diagnostics` has a page for every code.
public struct DiagnosticCode: RawRepresentable, Hashable, Comparable, Sendable {
    /// The name.
    public let rawValue: String

    /// The code of that name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code of that name.
    public init(_ name: String) { rawValue = name }

    public static func < (left: DiagnosticCode, right: DiagnosticCode) -> Bool {
        left.rawValue < right.rawValue
    }
}
