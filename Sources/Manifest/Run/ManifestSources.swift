import Diagnostics
import Glibc

/// The files of a manifest: the manifest itself, and those that `include` names.
///
/// All paths count from the folder of the manifest, also those in the files that it includes.
final class ManifestSources {
    /// At most so many files are read.
    static let limit = 1000

    /// The files that could be read, in the order in which they are read: the manifest first.
    private(set) var files: [TOMLSource] = []
    /// The paths of all files, also of those that cannot be read.
    private(set) var paths: [String]
    /// By path, the real path of a file outside of the manifest's folder.
    private(set) var outside: [String: String] = [:]
    /// By path, the fault of a file that cannot be read or parsed.
    private(set) var faults: [String: Diagnostic] = [:]
    /// The paths of the folders in which `include` looks for names, and in which such a folder could be made.
    private(set) var folders: [String] = []

    private let folder: String
    // With a slash at its end.
    private let realFolder: String
    private let collector: DiagnosticCollector
    // By real path, texts in place of files.
    private let buffers: [String: String]
    // The root tables of the files, in their order.
    private var roots: [TOMLNode] = []
    // By real path, where a file is included; nil for the manifest.
    private var included: [String: SourceSpan?] = [:]
    // The real paths of the files whose `include` is being read, from the manifest on.
    private var chain: [String] = []
    private var size = 0

    /// - Parameters:
    ///   - collector: gets the faults of the files that the manifest includes.
    ///   - buffers: by real path, texts in place of files.
    init(of path: String, collector: DiagnosticCollector, buffers: [String: String] = [:]) {
        (paths, folder, self.collector) = ([path], ManifestFile.folder(of: path), collector)
        self.buffers = buffers
        let real = Self.realPath(folder) ?? folder
        realFolder = real.hasSuffix("/") ? real : real + "/"
    }

    /// Reads the manifest and what it includes.
    ///
    /// - Returns: the root table of the manifest, with the tables of the other files after its own.
    /// - Throws: the fault of a manifest that cannot be read or parsed.
    func read() throws(Diagnostic) -> TOMLNode {
        let path = paths[0]
        let real = Self.realPath(path) ?? path
        included[real] = .some(nil)
        do { try read(path, real) } catch {
            faults[path] = error
            throw error
        }
        return MergedTables(roots, collector).root
    }

    private func read(_ path: String, _ real: String) throws(Diagnostic) {
        let file = try ManifestFile.read(
            path, order: files.count, upTo: Manifest.maximumSize - size, buffer: buffers[real])
        size += file.text.utf8.count
        let source = TOMLSource(file: file)
        // Before it is parsed, as a fault points into it.
        files.append(source)
        let root = try source.parse()
        roots.append(root)
        chain.append(real)
        defer { chain.removeLast() }
        for element in elements(of: root.entry("include")?.value) where !collector.isFull {
            guard let text = element.string, !text.isEmpty, !text.utf8.contains(0) else {
                collector.error(.wrongType, "`include`: expected a path", at: element.span)
                continue
            }
            if text.contains(where: Self.wildcards.contains) {
                // Files that are read already may match, too: the manifest itself, for example.
                for path in matches(text, at: element.span) where included[Self.realPath(path) ?? path] == nil
                {
                    guard include(path, at: element.span) else { return }
                }
            } else {
                guard include(text.hasPrefix("/") ? text : joined(folder, text), at: element.span) else {
                    return
                }
            }
        }
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

    /// Reads a file that is included. Reports why it cannot.
    ///
    /// - Returns: false when there are too many files.
    private func include(_ path: String, at span: SourceSpan) -> Bool {
        let real = Self.realPath(path)
        if let earlier = included[real ?? path] {
            let isOpen = chain.contains(real ?? path)
            collector.error(
                isOpen ? .includesItself : .definedTwice,
                !isOpen
                    ? "`\(path)` is included twice"
                    : "`\(path)` includes \(chain.last == real ? "itself" : "this file, directly or through others")",
                at: span,
                related: isOpen ? [] : earlier.map { [Diagnostic.Label($0, "first included here")] } ?? [],
                help: ["remove this path: each file is read once"])
            return true
        }
        guard included.count < Self.limit else {
            collector.error(
                .fileTooLarge, "`include` names more than \(Self.limit) files", at: span,
                help: ["put several tables into one file"])
            return false
        }
        included[real ?? path] = span
        paths.append(path)
        if let real, !real.hasPrefix(realFolder) { outside[path] = real }
        do { try read(path, real ?? path) } catch {
            let fault = located(error, path, at: span)
            faults[path] = fault
            collector.add(fault)
        }
        return true
    }

    /// The fault of a file that is included. One in its bytes has a place there already.
    private func located(_ fault: Diagnostic, _ path: String, at span: SourceSpan) -> Diagnostic {
        guard fault.place == nil else { return fault }
        let folder = path.hasSuffix("/") ? path : "\(path)/"
        let help =
            switch ManifestCode(rawValue: fault.code.rawValue) {
            case .fileMissing: [Self.origin]
            case .fileNotRegular where !fault.help.isEmpty: ["name the files in it: `\(folder)*.toml`"]
            default: [String]()
            }
        return Diagnostic(.error, fault.code, fault.message, at: span, help: help)
    }

    /// The paths that a pattern stands for, in the order of their bytes.
    private func matches(_ text: String, at span: SourceSpan) -> [String] {
        let isAbsolute = text.hasPrefix("/")
        let pattern = isAbsolute ? text : joined(Self.escaped(folder), text)
        // A file that matches later lies in one of these, or in a folder that is made there.
        var prefix = isAbsolute ? "" : Self.escaped(folder)
        var places = [isAbsolute ? "/" : folder]
        for part in text.split(separator: "/").dropLast() {
            prefix = prefix == "." ? String(part) : "\(prefix)/\(part)"
            places += Self.glob(prefix)
        }
        folders += places.filter { !folders.contains($0) }
        let found = Self.glob(pattern)
        if found.isEmpty {
            collector.warning(.includesNothing, "no file is called `\(text)`", at: span, help: [Self.origin])
        }
        return found
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

    /// The path without links and `..`; nil if there is no such file.
    static func realPath(_ path: String) -> String? {
        // Safe because a null buffer makes `realpath` allocate the text, which is freed here.
        let resolved = unsafe realpath(path, nil)
        defer { unsafe free(resolved) }
        return unsafe resolved.map { unsafe String(cString: $0) }
    }
}
