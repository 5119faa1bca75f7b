import FoundationEssentials
import Glibc
import PluginHost

/// The file of a unit.
struct UnitFile {
    let path: String

    /// A unit in the folder of the system, or of the user.
    init(_ options: ServiceOptions, _ unit: String) { path = "\(options.folder)/\(unit)" }

    private init(path: String) { self.path = path }

    /// A copy of a unit in a folder of its own, to be verified.
    ///
    /// - Throws: an exit code, after the reason was printed.
    static func draft(_ unit: ServiceUnit) throws -> UnitFile {
        var folder = Array("\(FileManager.default.temporaryDirectory.path)/spinhost-unit-XXXXXX".utf8CString)
        // Safe because the array has the NUL, and room for what the call replaces.
        guard unsafe mkdtemp(&folder) != nil else {
            throw refusal("a temporary folder cannot be made: \(SystemError(number: errno).text)")
        }
        let name = String(decoding: folder.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let file = UnitFile(path: "\(name)/\(unit.unit)")
        try file.write(unit.text)
        return file
    }

    /// What is in the file; nil without one.
    var content: String? {
        FileContent.read(path, atMost: 1 << 20).map { String(decoding: $0, as: UTF8.self) }
    }

    /// - Throws: an exit code when there is a unit that somebody else wrote. The reason was printed.
    func refuseOthers() throws {
        guard let content, !content.hasPrefix(ServiceUnit.mark) else { return }
        ErrorOutput.show(
            "`\(path)` was not written by `spinhost service`",
            help: ["give the service another name with `--name`"])
        throw ExitStatus.no
    }

    /// Writes the file, and makes its folder.
    ///
    /// - Throws: an exit code, after the reason was printed.
    func write(_ text: String) throws {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do throws(WrittenFile.Failure) { try WrittenFile.write(text, to: path) } catch {
            throw Self.refusal("`\(path)` cannot be written: \(error.text)", error.number)
        }
    }

    /// Removes a draft, with its folder.
    func remove() {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// - Throws: an exit code, after the reason was printed.
    func removeOrReport() throws {
        // Safe because the path is borrowed for the call.
        guard unsafe unlink(path) != 0 else { return }
        let error = SystemError(number: errno)
        throw Self.refusal("`\(path)` cannot be removed: \(error.text)", error.number)
    }

    private static func refusal(_ message: String, _ error: Int32 = 0) -> any Error {
        let isRefused = error == EACCES || error == EPERM || error == EROFS
        ErrorOutput.show(
            message,
            help: isRefused ? ["run it as root, or make a service of this user with `--user`"] : [])
        return ExitStatus.no
    }
}
