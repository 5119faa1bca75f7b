import CPluginABI
import Records

/// The state that an instance of a plugin saves for an instance of another version: bytes, plugin and
/// version.
public struct SavedState: Hashable, Sendable {
    /// The id of the plugin that wrote it.
    public let plugin: String
    /// The version of that plugin.
    public let version: String
    /// Its schema, as that plugin numbers them.
    public let schema: UInt32
    /// The bytes that the plugin wrote; may be empty.
    public let data: [UInt8]

    /// A state with these bytes.
    public init(plugin: String, version: String, schema: UInt32, data: [UInt8]) {
        (self.plugin, self.version, self.schema, self.data) = (plugin, version, schema, data)
    }

    /// The reason why bytes are no saved state.
    public struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
        /// One sentence.
        public let description: String
    }

    private static let magic = Array("SPINSAVE".utf8)
    private static let format: UInt32 = 1

    /// The state in a frame that shows damage: magic, format, schema and the three lengths, the three parts,
    /// and a checksum (FNV-1a, 64 bits) of all before it. Numbers are little-endian.
    public var framed: [UInt8] {
        let parts = [Array(plugin.utf8), Array(version.utf8), data]
        var bytes = Self.magic
        func append(_ number: some FixedWidthInteger) {
            for shift in stride(from: 0, to: number.bitWidth, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        append(Self.format)
        append(schema)
        for part in parts { append(UInt64(part.count)) }
        for part in parts { bytes += part }
        append(UInt64(hashOf: bytes))
        return bytes
    }

    /// Reads a frame.
    ///
    /// - Throws: `Damage` for any bytes that `framed` does not make.
    public init(framed bytes: [UInt8]) throws(Damage) {
        var rest = bytes[...]
        func take(_ count: UInt64) throws(Damage) -> ArraySlice<UInt8> {
            guard count <= UInt64(rest.count) else { throw Damage(description: "it ends too early") }
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }
        func number(_ size: UInt64) throws(Damage) -> UInt64 {
            try take(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func text(_ count: UInt64) throws(Damage) -> String {
            guard let text = String(validating: try take(count), as: UTF8.self) else {
                throw Damage(description: "a name in it is not UTF-8")
            }
            return text
        }
        guard try take(UInt64(Self.magic.count)).elementsEqual(Self.magic) else {
            throw Damage(description: "it does not begin as a saved state")
        }
        let format = try number(4)
        guard format == UInt64(Self.format) else { throw Damage(description: "it has the format \(format)") }
        schema = UInt32(try number(4))
        let sizes = (try number(8), try number(8), try number(8))
        (plugin, version) = (try text(sizes.0), try text(sizes.1))
        data = Array(try take(sizes.2))
        let sum = try number(8)
        guard rest.isEmpty else { throw Damage(description: "more follows after its end") }
        guard sum == UInt64(hashOf: bytes.dropLast(8)) else {
            throw Damage(description: "its checksum is wrong")
        }
    }

    /// Calls `body` with the state in the form that `restore` gets.
    func withForeign(
        _ body: (UnsafePointer<spin_saved>) throws(PluginError) -> Void
    ) throws(PluginError) {
        // Safe because everything is made here, and freed when the body has returned. Allocated memory is
        // aligned for any type.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(data.count, 1), alignment: 16)
        defer { unsafe copy.deallocate() }
        unsafe copy.copyBytes(from: data)
        let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: version.utf8.count + 1)
        defer { unsafe text.deallocate() }
        _ = unsafe text.initialize(from: version.utf8.map { CChar(bitPattern: $0) } + [0])
        var saved = unsafe spin_saved(
            size: UInt32(MemoryLayout<spin_saved>.size), flags: 0, schema: schema, reserved: 0,
            version: text.baseAddress, data: copy.baseAddress?.assumingMemoryBound(to: UInt8.self),
            data_size: data.count)
        unsafe try body(&saved)
    }
}
