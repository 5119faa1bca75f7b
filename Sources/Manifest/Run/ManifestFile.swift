import Diagnostics
import Glibc

/// Reads manifests and the files of secrets.
enum ManifestFile {
    /// Reads a file of a manifest without its byte order mark.
    ///
    /// - Parameters:
    ///   - order: its place among the files of the manifest. Only the first one must not be empty.
    ///   - size: the number of bytes that it may have after those before it.
    ///   - buffer: its text in an editor, in place of the file.
    /// - Throws: `Diagnostic` when the file cannot be read, is empty, or is not UTF-8.
    static func read(
        _ path: String, order: Int, upTo size: Int, buffer: String? = nil
    ) throws(Diagnostic) -> SourceFile {
        let bytes =
            if let buffer { Array(buffer.utf8) } else {
                try readBytes(path, ifMissing: ["name the file with `--manifest`"])
            }
        guard order > 0 || !bytes.isEmpty else { throw empty(path) }
        guard bytes.count <= size else {
            throw Diagnostic(
                .error, ManifestCode.fileTooLarge.code,
                "the manifest and the files that it includes are larger than 4 MiB")
        }
        return try decode(bytes, of: path, order: order)
    }

    /// The text in the bytes of a file, without its byte order mark.
    ///
    /// - Throws: `Diagnostic` for bytes that are not UTF-8.
    static func decode(_ bytes: [UInt8], of path: String, order: Int) throws(Diagnostic) -> SourceFile {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw notUTF8(bytes, path, order) }
        return SourceFile(name: path, text: withoutMark(text), order: order)
    }

    /// The folder of a file.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The default name of an app: its folder's name, with `-` for characters that app names cannot have.
    static func name(ofFolder folder: String) -> String {
        // Safe because a null buffer makes `realpath` allocate the text, which is freed here.
        let resolved = unsafe realpath(folder, nil)
        defer { unsafe free(resolved) }
        let path = unsafe resolved.map { unsafe String(cString: $0) } ?? folder
        let name = path.split(separator: "/").last.map { part in
            String(part.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_.".contains($0) ? $0 : "-" })
        }
        guard let name, let first = name.first, first.isLetter || first.isNumber else { return "app" }
        return String(name.prefix(64))
    }

    /// The diagnostic of an empty file.
    static func empty(_ path: String) -> Diagnostic {
        Diagnostic(
            .error, ManifestCode.fileEmpty.code, "`\(path)` is empty",
            help: ["a manifest describes loops: `[loops.NAME]`"])
    }

    /// A text without the byte order mark at its start.
    static func withoutMark(_ text: String) -> String {
        text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// The bytes of a regular file of at most `Manifest.maximumSize`.
    ///
    /// - Parameter help: what to do if there is no such file.
    /// - Throws: `Diagnostic`, whose message names the path and shows nothing of the content.
    static func readBytes(_ path: String, ifMissing help: [String] = []) throws(Diagnostic) -> [UInt8] {
        // Without O_NONBLOCK a pipe would wait for a writer.
        // Safe because the path is a NUL-terminated copy for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw unreadable(path, errno, ifMissing: help) }
        defer { close(descriptor) }
        var status = stat()
        // Safe because the structure lives for the call.
        guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            throw Diagnostic(
                .error, ManifestCode.fileNotRegular.code,
                "`\(path)` is \(isFolder ? "a folder" : "not a regular file")",
                help: isFolder
                    ? ["name the file in it: `\(path.hasSuffix("/") ? path : path + "/")app.toml`"] : [])
        }
        guard status.st_size <= Manifest.maximumSize else { throw tooLarge(path) }
        // One byte more than the file's size, to notice a file that grows during the read.
        var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), Manifest.maximumSize) + 1)
        var count = 0
        while count < bytes.count {
            // Safe because the range lies within the array.
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress! + count, buffer.count - count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw unreadable(path, errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= Manifest.maximumSize else { throw tooLarge(path) }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    private static func unreadable(_ path: String, _ number: Int32, ifMissing help: [String] = [])
        -> Diagnostic
    {
        if number == ENOENT || number == ENOTDIR {
            return Diagnostic(
                .error, ManifestCode.fileMissing.code, "there is no file `\(path)`", help: help)
        }
        // Safe because the text of `strerror` is copied at once.
        let reason = unsafe String(cString: strerror(number)).lowercased()
        return Diagnostic(
            .error, ManifestCode.fileUnreadable.code, "`\(path)` cannot be read: \(reason)")
    }

    /// The diagnostic of a file that is too large.
    static func tooLarge(_ path: String) -> Diagnostic {
        Diagnostic(.error, ManifestCode.fileTooLarge.code, "`\(path)` is larger than 4 MiB")
    }

    /// Shows the first byte that is not UTF-8, in a copy of the file with replacement characters.
    private static func notUTF8(_ bytes: [UInt8], _ path: String, _ order: Int) -> Diagnostic {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var (line, column, offset) = (1, 1, 0)
        scan: while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                offset += encoded.count
                let scalar = Unicode.UTF8.decode(encoded)
                if scalar == "\n" {
                    (line, column) = (line + 1, 1)
                } else if offset > 3 || scalar != "\u{FEFF}" {
                    column += 1
                }
            case .error, .emptyInput: break scan
            }
        }
        let text = withoutMark(String(decoding: bytes, as: UTF8.self))
        let file = SourceFile(name: path, text: text, order: order)
        let digits = String(bytes[min(offset, bytes.count - 1)], radix: 16, uppercase: true)
        return Diagnostic(
            .error, ManifestCode.fileNotUTF8.code,
            "`\(path)` is not UTF-8: byte 0x\(digits) is not valid here",
            at: SourceSpan(
                file: file, start: SourcePosition(line: line, column: column),
                end: SourcePosition(line: line, column: column + 1)),
            help: ["save the file as UTF-8"])
    }
}
