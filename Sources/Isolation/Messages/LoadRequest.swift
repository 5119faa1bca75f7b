package import PluginHost
package import Records

/// A library that another process is to load.
package struct LoadRequest {
    /// The copy, which the host removes; nil for a library of the system.
    let copy: (path: String, hash: String, libraries: [String])?
    /// The file that was copied, or the name of a library of the system.
    let library: String
    /// The declarations of the manifest; nil if it has none.
    let declares: String?

    package init(_ staged: StagedLibrary?, library: String, declares: String?) {
        copy = staged.map { ($0.path, $0.hash, $0.libraryPaths) }
        (self.library, self.declares) = (library, declares)
    }

    package func write(to writer: ByteWriter) {
        writer.put(library)
        writer.put(optional: declares)
        writer.put(byte: copy == nil ? 0 : 1)
        guard let copy else { return }
        writer.put(copy.path)
        writer.put(copy.hash)
        writer.put(count: copy.libraries.count)
        for path in copy.libraries { writer.put(path) }
    }

    package init(_ reader: inout ByteReader) throws(DamagedBytes) {
        (library, declares) = (try reader.text(), try reader.optionalText())
        guard try reader.byte() != 0 else {
            copy = nil
            return
        }
        let (path, hash) = (try reader.text(), try reader.text())
        var libraries: [String] = []
        for _ in 0..<(try reader.count()) { libraries.append(try reader.text()) }
        copy = (path, hash, libraries)
    }

    /// Loads it into this process.
    package func open(_ services: HostServices) throws(PluginError) -> PluginImage {
        guard let copy else { return try .system(library, services: services) }
        return try .open(
            StagedLibrary(original: library, path: copy.path, hash: copy.hash, libraryPaths: copy.libraries),
            services: services)
    }
}
