public import Diagnostics

/// Formats manifests: with the same spaces, and their tables in the same order.
///
/// It keeps every comment, key and value as it is written, and the lines into which the author broke an array.
/// Formatting a formatted text changes nothing.
public enum ManifestFormatter {
    /// The text of a manifest, or of a file that a manifest includes, in its canonical form.
    ///
    /// Its lines end as the first one does, with LF or CR LF. A byte order mark is removed.
    ///
    /// - Parameter name: the name of the file in a diagnostic.
    /// - Returns: nil if the result would not have the same meaning or the same comments, which is a fault of the
    ///   formatter.
    /// - Throws: the fault of a text that is not TOML, or that spaces would make too large for the host.
    public static func formatted(_ text: String, name: String) throws(Diagnostic) -> String? {
        let file = SourceFile(name: name, text: ManifestFile.withoutMark(text))
        let tree = try TOMLSource(file: file).parse()
        let bytes = [UInt8](file.text.utf8)
        guard let layout = try? TOMLLayoutReader.read(bytes) else { return nil }
        let result = TOMLLayoutPrinter.print(layout.withKeysThatAreCommentedOut.ordered)
        guard result != bytes else { return file.text }
        guard result.count <= Manifest.maximumSize else {
            throw Diagnostic(
                .error, ManifestCode.fileTooLarge.code, "the formatted text of `\(name)` is larger than 4 MiB"
            )
        }
        let formatted = SourceFile(name: name, text: String(decoding: result, as: UTF8.self))
        guard let other = try? TOMLSource(file: formatted).parse(), other.saysTheSame(as: tree, isRoot: true),
            comments(of: result) == comments(of: bytes)
        else { return nil }
        return formatted.text
    }

    /// The same for the bytes of a file.
    ///
    /// - Throws: the fault of bytes that are too many, not UTF-8, or not TOML.
    public static func formatted(_ bytes: [UInt8], name: String) throws(Diagnostic) -> [UInt8]? {
        guard bytes.count <= Manifest.maximumSize else { throw ManifestFile.tooLarge(name) }
        let text = try ManifestFile.decode(bytes, of: name, order: 0)
        return try formatted(text.text, name: name).map { [UInt8]($0.utf8) }
    }

    /// The bytes of a file, to be formatted.
    ///
    /// - Throws: the reason why the file cannot be read.
    public static func read(_ path: String) throws(Diagnostic) -> [UInt8] { try ManifestFile.readBytes(path) }

    /// The comments in the order of their bytes; nil for a text that the formatter cannot read.
    private static func comments(of bytes: [UInt8]) -> [ArraySlice<UInt8>]? {
        var (lexer, comments): (TOMLLexer, [ArraySlice<UInt8>]) = (TOMLLexer(bytes), [])
        do throws(TOMLLexer.Unreadable) {
            while let token = try lexer.next() { if token.kind == .comment { comments.append(token.text) } }
        } catch { return nil }
        return comments.sorted { $0.lexicographicallyPrecedes($1) }
    }
}

extension TOMLNode {
    /// Whether both have the same keys, values and braces. Their order counts, except for the tables of the
    /// root.
    fileprivate func saysTheSame(as other: TOMLNode, isRoot: Bool = false) -> Bool {
        switch (content, other.content) {
        case (.table(let entries, let isInline), .table(let others, let isOtherInline)):
            func sorted(_ entries: [TOMLEntry]) -> [TOMLEntry] {
                isRoot ? entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } : entries
            }
            // Equal strings may have other bytes.
            return isInline == isOtherInline && entries.count == others.count
                && zip(sorted(entries), sorted(others)).allSatisfy {
                    $0.key.utf8.elementsEqual($1.key.utf8) && $0.value.saysTheSame(as: $1.value)
                }
        case (.array(let elements), .array(let others)):
            return elements.count == others.count
                && zip(elements, others).allSatisfy { $0.saysTheSame(as: $1) }
        case (.string(let text), .string(let other)), (.date(let text), .date(let other)):
            return text.utf8.elementsEqual(other.utf8)
        case (.integer(let number), .integer(let other)): return number == other
        case (.float(let number), .float(let other)): return number.bitPattern == other.bitPattern
        case (.boolean(let value), .boolean(let other)): return value == other
        default: return false
        }
    }
}
