/// A range of a source file, from `start` up to but not including `end`; it may be empty.
public struct SourceSpan: Sendable {
    /// The file.
    public let file: SourceFile
    /// The first character.
    public let start: SourcePosition
    /// One past the last character.
    public let end: SourcePosition

    /// A span of a file.
    ///
    /// - Precondition: `end` is not before `start`.
    public init(file: SourceFile, start: SourcePosition, end: SourcePosition) {
        precondition(start <= end, "a span ends where it starts or later")
        (self.file, self.start, self.end) = (file, start, end)
    }
}

extension SourceSpan: Hashable {
    public static func == (left: SourceSpan, right: SourceSpan) -> Bool {
        left.file === right.file && left.start == right.start && left.end == right.end
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(file))
        hasher.combine(start)
        hasher.combine(end)
    }
}
