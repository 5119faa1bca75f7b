import Foundation
import TestSupport

/// A file for the inputs of targets that only read files. There is one input at a time.
enum InputFile {
    private static let folder: TemporaryFolder = {
        do { return try TemporaryFolder() } catch { fatalError("no folder for inputs: \(error)") }
    }()

    /// Writes an input and returns the file's path.
    static func write(_ bytes: [UInt8], as name: String) -> String {
        let file = folder.url(name)
        do { try Data(bytes).write(to: file) } catch { fatalError("the input cannot be written: \(error)") }
        return file.path
    }
}
