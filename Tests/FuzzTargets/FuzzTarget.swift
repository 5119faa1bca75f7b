/// A part of the host that reads input from outside, as a function that takes any bytes.
///
/// `script/fuzz` runs the targets under libFuzzer. The tests run each of them with its seeds and with all
/// inputs that ever failed. Each rule for all inputs is a precondition: a run that returns has passed.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// A whole manifest: loaded, its diagnostics rendered, its header written, its tests run.
    case manifests
    /// An expression, checked against typed records and evaluated, and evaluated without types.
    case expressions
    /// Declarations in C, and the signatures of calls of them.
    case prototypes
    /// Lines in JSON, replayed.
    case recordings
    /// A shared library's file.
    case libraries
    /// The table of a plugin in memory, `spin_entry`.
    case tables
    /// Entries of a journal, and its snapshots.
    case journal
    /// What a worker sends to its host.
    case workers
    /// What a host sends to its worker.
    case hosts

    /// Takes one input.
    public func run(_ bytes: [UInt8]) {
        switch self {
        case .manifests: ManifestInput.run(bytes)
        case .expressions: ExpressionInput.run(bytes)
        case .prototypes: PrototypeInput.run(bytes)
        case .recordings: RecordingInput.run(bytes)
        case .libraries: LibraryInput.run(bytes)
        case .tables: TableInput.run(bytes)
        case .journal: JournalInput.run(bytes)
        case .workers: WorkerInput.run(bytes)
        case .hosts: HostInput.run(bytes)
        }
    }
}
