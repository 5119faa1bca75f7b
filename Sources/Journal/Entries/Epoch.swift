import Records

/// The time of a journal in which one process writes it.
public struct Epoch: Hashable, Sendable {
    /// A library that the app uses.
    public struct Plugin: Hashable, Sendable {
        /// Its name in the manifest, its version, and the hash of its content as hexadecimal digits.
        public let name, version, hash: String

        /// A plugin.
        public init(name: String, version: String, hash: String) {
            (self.name, self.version, self.hash) = (name, version, hash)
        }
    }

    /// A secret constant of the manifest. Its value is not in the journal.
    public struct Secret: Hashable, Sendable {
        /// Its name, and a code of its value that another value does not have, as hexadecimal digits.
        public let name, mac: String

        /// A secret.
        public init(name: String, mac: String) { (self.name, self.mac) = (name, mac) }
    }

    /// When: nanoseconds since 1970-01-01T00:00:00Z.
    public var time: Int64
    /// The version of spinhost, and the number of its process.
    public var host: String
    /// The number of the process.
    public var process: Int32
    /// The path of the manifest.
    public var manifest: String
    /// The libraries.
    public var plugins: [Plugin]
    /// The secret constants.
    public var secrets: [Secret]
    /// How many earlier epochs may be missing, as a damaged part of the journal was left behind. Their numbers are not
    /// used again.
    public var lost: UInt32
    /// The loops and gears.
    public var schema: AppSchema

    /// An epoch.
    public init(
        time: Int64, host: String, process: Int32, manifest: String,
        plugins: [Plugin], secrets: [Secret] = [], lost: UInt32 = 0, schema: AppSchema
    ) {
        (self.time, self.host, self.process) = (time, host, process)
        (self.manifest, self.plugins, self.secrets) = (manifest, plugins, secrets)
        (self.lost, self.schema) = (lost, schema)
    }

    func write(to writer: ByteWriter) {
        writer.put(signed: time)
        writer.put(host)
        writer.put(signed: Int64(process))
        writer.put(manifest)
        writer.put(plugins) { plugin in
            writer.put(plugin.name)
            writer.put(plugin.version)
            writer.put(plugin.hash)
        }
        writer.put(secrets) { secret in
            writer.put(secret.name)
            writer.put(secret.mac)
        }
        writer.put(count: Int(lost))
        schema.write(to: writer)
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        time = try reader.signed()
        (host, process) = (try reader.text(), Int32(truncatingIfNeeded: try reader.signed()))
        manifest = try reader.text()
        plugins = try reader.list { reader throws(DamagedBytes) in
            Plugin(name: try reader.text(), version: try reader.text(), hash: try reader.text())
        }
        secrets = try reader.list { reader throws(DamagedBytes) in
            Secret(name: try reader.text(), mac: try reader.text())
        }
        lost = UInt32(try reader.number(upTo: Int(UInt32.max)))
        schema = try AppSchema(&reader)
    }
}
