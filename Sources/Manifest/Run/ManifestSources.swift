import Diagnostics
import Glibc

/// The files of a manifest: the manifest itself, and those that `include` names.
///
/// All paths count from the folder of the manifest, also those in the files that it includes.
final class ManifestSources {
    /// At most so many files are read.
    static let limit = 1000

    /// The files that could be parsed, in the order in which they are read: the manifest first.
    private(set) var files: [TOMLSource] = []
    /// The paths of all files, also of those that cannot be read.
    private(set) var paths: [String]
    /// By path, the real path of a file outside of the manifest's folder.
    private(set) var outside: [String: String] = [:]
    /// The paths of the folders in which `include` looks for names.
    private(set) var folders: [String] = []

    private let folder: String
    // With a slash at its end.
    private let realFolder: String
    private let collector: DiagnosticCollector
    // By real path, where a file is included; nil for the manifest.
    private var included: [String: SourceSpan?] = [:]
    // The real paths of the files whose `include` is being read, from the manifest on.
    private var chain: [String] = []
    private var size = 0

    /// - Parameter collector: gets the faults of the files that the manifest includes.
    init(of path: String, collector: DiagnosticCollector) {
        (paths, folder, self.collector) = ([path], ManifestFile.folder(of: path), collector)
        let real = Self.realPath(folder)
        realFolder = real.hasSuffix("/") ? real : real + "/"
    }

    /// Reads the manifest and what it includes.
    ///
    /// - Returns: the root table of the manifest, with the tables of the other files after its own.
    /// - Throws: the fault of a manifest that cannot be read or parsed.
    func read() throws(Diagnostic) -> TOMLNode {
        let path = paths[0]
        included[Self.realPath(path)] = .some(nil)
        return try read(path, Self.realPath(path))
    }

    private func read(_ path: String, _ real: String) throws(Diagnostic) -> TOMLNode {
        let file = try ManifestFile.read(path, order: files.count, upTo: Manifest.maximumSize - size)
        size += file.text.utf8.count
        let source = TOMLSource(file: file)
        // Before it is parsed, as a fault points into it.
        files.append(source)
        var root = try source.parse()
        chain.append(real)
        defer { chain.removeLast() }
        for element in elements(of: root.entry("include")?.value) where !collector.isFull {
            guard let text = element.string, !text.isEmpty else {
                collector.error(.wrongType, "`include`: expected a path", at: element.span)
                continue
            }
            for path in expand(text, at: element.span) {
                if let other = include(path, at: element.span) { merge(other, into: &root) }
            }
        }
        return root
    }

    private func elements(of include: TOMLNode?) -> [TOMLNode] {
        guard let include else { return [] }
        if case .array(let elements) = include.content { return elements }
        // That of the manifest itself is reported with its other keys.
        if chain.count > 1 {
            collector.error(.wrongType, "`include`: expected an array of strings", at: include.span)
        }
        return []
    }

    /// The root table of a file that is included; nil after a report.
    private func include(_ path: String, at span: SourceSpan) -> TOMLNode? {
        let real = Self.realPath(path)
        if !paths.contains(path) { paths.append(path) }
        if !real.hasPrefix(realFolder) { outside[path] = real }
        if chain.contains(real) {
            collector.error(
                .includesItself,
                "`\(path)` includes \(chain.last == real ? "itself" : "this file, directly or through others")",
                at: span, help: ["remove this path: each file is read once"])
            return nil
        }
        if let earlier = included[real] {
            collector.error(
                .definedTwice, "`\(path)` is included twice", at: span,
                related: earlier.map { [Diagnostic.Label($0, "first included here")] } ?? [],
                help: ["remove this path: each file is read once"])
            return nil
        }
        included[real] = span
        guard included.count <= Self.limit else {
            if included.count == Self.limit + 1 {
                collector.error(
                    .fileTooLarge, "`include` names more than \(Self.limit) files", at: span,
                    help: ["put several tables into one file"])
            }
            return nil
        }
        do { return try read(path, real) } catch {
            // A fault in a file's bytes has a place there already.
            guard error.place == nil else {
                collector.add(error)
                return nil
            }
            let help =
                switch ManifestCode(rawValue: error.code.rawValue) {
                case .fileMissing: [Self.origin]
                case .fileNotRegular where !error.help.isEmpty: ["name the files in it: `\(path)/*.toml`"]
                default: [String]()
                }
            collector.add(Diagnostic(.error, error.code, error.message, at: span, help: help))
            return nil
        }
    }

    /// The paths that an element of `include` stands for, in the order of their bytes.
    private func expand(_ text: String, at span: SourceSpan) -> [String] {
        guard text.contains(where: Self.wildcards.contains) else {
            return [text.hasPrefix("/") ? text : joined(folder, text)]
        }
        let pattern = text.hasPrefix("/") ? text : joined(Self.escaped(folder), text)
        // A file that is added later lies in one of these.
        let place = pattern.lastIndex(of: "/").map { String(pattern[..<$0]) } ?? "."
        folders += Self.glob(place)
        let found = Self.glob(pattern)
        if found.isEmpty {
            collector.warning(
                .includesNothing, "no file is called `\(text)`", at: span,
                help: [Self.origin])
        }
        return found
    }

    /// Puts the entries of an included file after those of the file that includes it.
    private func merge(_ other: TOMLNode, into root: inout TOMLNode) {
        guard case .table(var entries, let isInline) = root.content else { return }
        for entry in other.entries where entry.key != "include" {
            if entry.key == "app" {
                collector.error(
                    .onlyInManifest, "`app` stands in the manifest itself", at: entry.keySpan,
                    help: ["move it there: a file that is included has no say over the app as a whole"])
            } else if let index = entries.firstIndex(where: { $0.key == entry.key }) {
                entries[index] = merged(entries[index], entry)
            } else {
                entries.append(entry)
            }
        }
        root = TOMLNode(content: .table(entries, isInline: isInline), span: root.span)
    }

    /// One entry for two of the same key: `[loops]` of two files has the loops of both.
    private func merged(_ first: TOMLEntry, _ second: TOMLEntry) -> TOMLEntry {
        let content: TOMLNode.Content
        switch (first.value.content, second.value.content) {
        case (.table(var entries, let isInline), .table(let others, _)):
            for other in others {
                if let same = entries.first(where: { $0.key == other.key }) {
                    collector.error(
                        .definedTwice, "`\(first.key).\(other.key)` is defined twice", at: other.keySpan,
                        related: [Diagnostic.Label(same.keySpan, "first defined here")])
                } else {
                    entries.append(other)
                }
            }
            content = .table(entries, isInline: isInline)
        case (.array(let elements), .array(let others)): content = .array(elements + others)
        default:
            if !first.key.hasPrefix("x-") {
                collector.error(
                    .definedTwice, "`\(first.key)` is defined twice", at: second.keySpan,
                    related: [Diagnostic.Label(first.keySpan, "first defined here")])
            }
            return first
        }
        return TOMLEntry(
            key: first.key, keySpan: first.keySpan, value: TOMLNode(content: content, span: first.value.span))
    }

    private static let origin = "the path counts from the folder of the manifest"

    private static let wildcards: Set<Character> = ["*", "?", "["]

    private func joined(_ folder: String, _ path: String) -> String {
        folder == "." ? path : folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
    }

    private static func escaped(_ path: String) -> String {
        path.reduce(into: "") { $0 += wildcards.contains($1) || $1 == "\\" ? "\\\($1)" : String($1) }
    }

    /// The paths that match a pattern of glob(7), in the order of their bytes.
    private static func glob(_ pattern: String) -> [String] {
        var result = unsafe glob_t()
        defer { unsafe globfree(&result) }
        // Safe because the result lives until it is freed, and its paths are copied.
        guard unsafe Glibc.glob(pattern, 0, nil, &result) == 0 else { return [] }
        let paths = unsafe UnsafeBufferPointer(start: result.gl_pathv, count: Int(result.gl_pathc))
        return unsafe paths.map { unsafe String(cString: $0!) }
    }

    /// The path without links and `..`; the path itself if there is no such file.
    private static func realPath(_ path: String) -> String {
        // Safe because a null buffer makes `realpath` allocate the text, which is freed here.
        let resolved = unsafe realpath(path, nil)
        defer { unsafe free(resolved) }
        return unsafe resolved.map { unsafe String(cString: $0) } ?? path
    }
}
