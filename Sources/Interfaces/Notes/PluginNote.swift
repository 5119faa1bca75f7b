/// One note of a plugin about itself, which a macro of `spinhost/plugin.h` writes into the file.
public struct PluginNote: Hashable, Sendable {
    /// The kind of a note, `SPIN_KIND_…`.
    public enum Kind: UInt32, Sendable {
        /// The ABI version of the header, id, version.
        case plugin = 1
        /// Name, C prototype, failure expression, documentation.
        case effect = 2
        /// Name, C prototype of its fields as parameters, documentation.
        case emitter = 3
        /// Name, C types of state and event, documentation.
        case reducer = 4
        /// A loop's name, the fields of its state, then name and fields of each event (`LoopLayout`).
        case loop = 5
        /// The names of the functions that create and destroy an instance.
        case instance = 6
        /// The settings: a prototype, then default, least, greatest and documentation of each
        /// (`ConfigDescription`).
        case config = 7
        /// The names of the functions that start and stop an instance.
        case life = 8
        /// The names of the functions that save and restore an instance, and the schema of the saved state.
        case swap = 9
        /// The name of a struct, and its declaration in C (`RecordDescription`).
        case record = 10
        /// The name of the function that gives changed settings to an instance.
        case reconfigure = 11

        /// What a note of this kind describes, such as "effect".
        public var word: String {
            switch self {
            case .plugin: "identity"
            case .effect: "effect"
            case .emitter: "emitter"
            case .reducer: "reducer"
            case .loop: "loop"
            case .instance: "`SPIN_INSTANCE`"
            case .config: "`SPIN_CONFIG`"
            case .life: "`SPIN_LIFE`"
            case .swap: "`SPIN_SWAP`"
            case .record: "record"
            case .reconfigure: "`SPIN_RECONFIGURE`"
            }
        }

        /// The position of a declaration in C; nil for notes without one.
        fileprivate var declaration: Int? {
            switch self {
            case .effect, .emitter, .record: 1
            case .config: 0
            case .plugin, .reducer, .loop, .instance, .life, .swap, .reconfigure: nil
            }
        }

        /// The kind in the type of a file's note; nil if this host does not know it.
        init?(_ note: ELFNote) { self.init(rawValue: note.type & 0xFFFF) }
    }

    /// The minor version of the ABI that a host must have to use what the note describes.
    static func neededMinor(_ note: ELFNote) -> Int { Int(note.type >> 16) }

    /// The owner of such notes in an ELF file.
    public static let owner = "spinhost"

    /// Its kind.
    public let kind: Kind
    /// Its texts, by position.
    public private(set) var fields: [String]

    /// A note with these texts. In a declaration, `_Bool` becomes `bool`.
    public init(_ kind: Kind, _ fields: [String]) {
        (self.kind, self.fields) = (kind, fields)
        guard let position = kind.declaration, position < fields.count else { return }
        self.fields[position] = Self.withBool(fields[position])
    }

    /// The declaration with the keyword of C++ and C23. In C11 `bool` is a macro for `_Bool`, so that files of
    /// one plugin would say the same differently.
    private static func withBool(_ declaration: String) -> String {
        guard declaration.contains("_Bool") else { return declaration }
        var bytes = Array(declaration.utf8)
        for token in CLexer(declaration).tokens.reversed() where token.text == "_Bool" {
            bytes.replaceSubrange(token.range, with: "bool".utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads the note of a file: NUL-terminated texts in UTF-8, one after the other, padded with NULs.
    ///
    /// - Returns: nil for a kind that this host does not know, and for a text that is not UTF-8.
    public init?(_ note: ELFNote) {
        guard let kind = Kind(note) else { return nil }
        self.init(kind, descriptor: note.descriptor)
    }

    init?(_ kind: Kind, descriptor: [UInt8]) {
        var fields: [String] = []
        for part in descriptor.split(separator: 0, omittingEmptySubsequences: false) {
            guard let text = String(validating: part, as: UTF8.self) else { return nil }
            fields.append(text)
        }
        self.init(kind, fields)
    }

    /// The text at a position; empty if there is none.
    public subscript(position: Int) -> String { position < fields.count ? fields[position] : "" }
}
