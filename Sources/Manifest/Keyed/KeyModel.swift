public import Diagnostics
public import Records

/// What makes a loop one with a key: `key` and the keys about its instances.
public struct KeyModel: Sendable {
    /// The types that a key can have.
    public enum Kind: String, CaseIterable, Sendable {
        case string, int, uint, bytes

        /// The type of the key in records.
        public var type: ValueType {
            switch self {
            case .string: .string
            case .int: .integer(.i64)
            case .uint: .integer(.u64)
            case .bytes: .bytes
            }
        }
    }

    /// The name of the key: in expressions, in the state, and in messages to the loop.
    public static let name = "key"

    /// The type of the key.
    public let kind: Kind
    /// The greatest number of instances at a time.
    public let limit: Int
    /// How long the last state of an instance that is done stays readable.
    public let keep: Duration
    /// The events that may make an instance, as indices into `LoopModel.events`; nil: all.
    public let creates: Set<Int>?
    /// The gear that `send = { loop = … }` uses, as an index into `Manifest.gears`.
    public let gear: Int
    /// The span of `key`.
    public let span: SourceSpan

    /// A key declared at `span`.
    public init(kind: Kind, limit: Int, keep: Duration, creates: Set<Int>?, gear: Int, span: SourceSpan) {
        (self.kind, self.limit, self.keep, self.creates) = (kind, limit, keep, creates)
        (self.gear, self.span) = (gear, span)
    }

    /// A record with the key as its only field.
    public var record: RecordType { Self.record(of: kind) }

    static func record(of kind: Kind) -> RecordType { RecordType([(name, kind.type)]) }
}
