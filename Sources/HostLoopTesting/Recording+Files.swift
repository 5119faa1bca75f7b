import FoundationEssentials
public import HostLoop

extension Recording where State: Codable, Event: Codable {
    /// Reads a recording from a JSON file that `write(toFile:)` wrote.
    /// - Throws: what reading the file or decoding throws.
    public init(contentsOfFile path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        self = try JSONDecoder().decode(Recording.self, from: data)
    }

    /// Writes the recording to a JSON file, replacing what is there.
    ///
    /// The same recording gives the same bytes, indented and with sorted keys, so that a change of it can be
    /// read in review. Sets and dictionaries are as stable as their own encoding.
    /// - Throws: what encoding or writing the file throws.
    public func write(toFile path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        var data = try encoder.encode(self)
        data.append(UInt8(ascii: "\n"))
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
