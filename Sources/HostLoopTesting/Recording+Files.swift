import FoundationEssentials
public import HostLoop

extension Recording where State: Codable, Event: Codable {
    /// Reads a recording from a JSON file that `write(toFile:)` wrote.
    /// - Throws: the errors of reading or decoding the file.
    public init(contentsOfFile path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        self = try JSONDecoder().decode(Recording.self, from: data)
    }

    /// Writes the recording to a JSON file, and replaces an existing file.
    ///
    /// The same recording gives the same bytes. The file is indented and has sorted keys, so that a reviewer
    /// can read its changes. Sets and dictionaries are as stable as their own encoding.
    /// - Throws: the errors of encoding the recording or writing the file.
    public func write(toFile path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(self)
        data.append(UInt8(ascii: "\n"))
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
