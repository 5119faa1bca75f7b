package import Interfaces

extension PluginImage {
    /// The image of a library that another process has loaded. Nothing of it is loaded into this one.
    ///
    /// - Parameters:
    ///   - staged: the copy that the process has loaded; nil for a library of the system.
    ///   - library: the name of a library of the system, or the file of the copy.
    ///   - old: another version. If its notes are the same, its description is used again.
    /// - Throws: as `open` does for a file that is no library.
    public static func remote(
        _ staged: StagedLibrary?, library: String, in remote: any RemotePlugin,
        replacing old: PluginImage? = nil,
        services: HostServices
    ) throws(PluginError) -> PluginImage {
        guard let staged else {
            return PluginImage(
                library: library, staged: nil, description: nil, services: services,
                code: .remote(remote), table: nil, emitters: [:])
        }
        let file =
            if let file = staged.file { file } else { try FileDescriptor.library(staged.path, library) }
        let notes = PluginDescription.notes(of: file)
        let description: PluginDescription?
        do {
            description =
                if let old, !notes.isEmpty, old.notes == notes { old.description } else {
                    try PluginDescription.read(from: file)
                }
        } catch { throw PluginError(error, library: library) }
        return PluginImage(
            library: library, staged: staged, description: description, notes: notes, services: services,
            code: .remote(remote), table: nil, emitters: [:])
    }

    /// The same for a library that says this of itself.
    package static func remote(
        _ description: PluginDescription, library: String, in remote: any RemotePlugin, services: HostServices
    ) -> PluginImage {
        PluginImage(
            library: library, staged: nil, description: description, services: services,
            code: .remote(remote), table: nil, emitters: [:])
    }

    /// The process that has loaded the library; nil if this one has.
    public var remote: (any RemotePlugin)? {
        if case .remote(let remote) = code { remote } else { nil }
    }
}
