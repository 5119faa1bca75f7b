import Glibc
import Interfaces

/// The private libraries of one plugin. A library is copied if the process has an earlier version of it.
struct PrivateLibraries {
    /// In the order in which they are loaded: each comes after the libraries that it needs.
    private(set) var all: [PrivateLibrary] = []
    /// The paths of links to libraries without a `DT_SONAME`. The loader finds them by the search path of a
    /// copy.
    private(set) var links: [String] = []
    private let staging: StagingDirectory
    /// The hashes of all files that were read, in order, also of those that were refused.
    private var contents: [String] = []
    // By path; nil for a library whose own needs are being searched.
    private var seen: [String: PrivateLibrary?] = [:]

    /// None yet; copies go to `staging`.
    init(in staging: StagingDirectory) { self.staging = staging }

    /// Finds and copies the private libraries of a library, and writes the names of the copies into the
    /// library's own copy.
    ///
    /// - Parameters:
    ///   - file: the library.
    ///   - copy: its copy, not loaded yet.
    /// - Throws: `PluginError` when a private library cannot be read or copied, is no library, or has changed
    ///   and cannot be loaded beside the version before (`DiagnosticCode.privateLibraryStays`).
    mutating func add(of file: ELFFile, copiedTo copy: String) throws(PluginError) {
        let needs = try needs(of: file)
        try write(needs, of: file, to: copy)
    }

    /// A hash over the content of a plugin's file and of its private libraries.
    func hash(with content: String) -> String { Self.combined(content, all.map(\.hash)) }

    /// A hash over the content of a plugin's file and of all files that were read before `add` has thrown an
    /// error.
    func hash(ofRefused content: String) -> String { Self.combined(content, contents) }

    private struct Need {
        /// The library's name in the file that needs it (`DT_NEEDED`).
        let name: String
        let library: PrivateLibrary
        /// The folder of the search path that it was found in, which may contain `$ORIGIN`.
        let folder: String
    }

    /// Finds the private libraries that a file needs.
    private mutating func needs(of file: ELFFile) throws(PluginError) -> [Need] {
        var needs: [Need] = []
        try checkSearch(of: file)
        for name in file.needed {
            for (path, folder) in Self.places(of: name, for: file) {
                // Safe because the path is borrowed for the call.
                guard unsafe access(path, R_OK) == 0 else { continue }
                do throws(PluginError) {
                    if let need = try need(name, at: path, in: folder) { needs.append(need) }
                    break
                } catch {
                    // The loader skips libraries for other machines.
                    guard [.fileOtherClass, .fileOtherMachine].contains(error.code) else { throw error }
                }
            }
        }
        return needs
    }

    /// Refuses what only the loader can find of the libraries that a file needs, if `app.plugins` says what may be loaded.
    private func checkSearch(of file: ELFFile) throws(PluginError) {
        guard let allowed = staging.allowed, !file.needed.isEmpty else { return }
        do {
            for name in file.needed where name.contains("/") { try allowed.check(path: name) }
        } catch { throw PluginError(error, library: file.path) }
        let origin = StagingDirectory.folder(of: file.path)
        for folder in file.searchPath {
            let place = Self.expand(folder, origin)
            guard !place.hasPrefix("/") || place.contains("$") else { continue }
            throw PluginError(
                .libraryNotAllowed,
                "`app.plugins` cannot check `\(folder)`, where `\(file.path)` has libraries",
                help: ["link it with an absolute `-rpath`, or with one that begins with `$ORIGIN`"],
                library: file.path)
        }
    }

    /// Where a library may be that a file needs, in the order of the loader's search: paths, and the folders of
    /// the search path. Empty for a library that the process has.
    private static func places(
        of name: String, for file: ELFFile
    ) -> [(path: String, folder: String)] {
        guard !name.contains("/"), !PrivateLibrary.isOfProcess(name) else { return [] }
        let origin = StagingDirectory.folder(of: file.path)
        // Libraries beside the file are found without a `RUNPATH`, too. Only the loader knows `$LIB` and
        // `$PLATFORM`.
        let folders = file.searchPath.filter { expand($0, origin).hasPrefix("/") } + ["$ORIGIN"]
        return folders.map { ("\(expand($0, origin))/\(name)", $0) }.filter { !$0.0.contains("$") }
    }

    /// The files that the library at `path` is loaded from, without loading any (`PluginImage.files`).
    static func files(ofLibrary path: String) -> [String] {
        var (files, index) = ([path], 0)
        while index < files.count {
            let path = files[index]
            index += 1
            guard let file = try? FileDescriptor.library(path, path) else { continue }
            for name in file.needed {
                for (path, _) in places(of: name, for: file) {
                    if !files.contains(path) { files.append(path) }
                    // The loader looks no further.
                    if (try? FileDescriptor.library(path, path)) != nil { break }
                }
            }
        }
        return files
    }

    private mutating func need(
        _ name: String, at path: String, in folder: String
    ) throws(PluginError) -> Need? {
        let library: PrivateLibrary
        if let known = seen[path] {
            // Libraries that need each other: the loader loads this one together with the other one.
            guard let known else { return nil }
            library = known
        } else {
            seen[path] = .some(nil)
            let descriptor = try FileDescriptor.reading(path)
            // First the hash: if another program writes to the file meanwhile, its last content must have
            // another hash than a content that the host refuses.
            let content = try descriptor.hash(path)
            contents.append(content)
            let file = try descriptor.library(path)
            // The loader skips libraries for other machines, so only now.
            try descriptor.check(staging.allowed, path)
            library = try self.library(file, name, content)
            seen[path] = library
            all.append(library)
        }
        return Need(name: name, library: library, folder: folder)
    }

    /// The version of a private library that the process has, or a new version to be loaded.
    private mutating func library(
        _ file: ELFFile, _ name: String, _ content: String
    ) throws(PluginError) -> PrivateLibrary {
        let (path, isKnownByName) = (file.path, file.soname == name)
        let inner = try needs(of: file)
        let hash = Self.combined(content, inner.map(\.library.hash))
        let before = PrivateLibrary.loaded(from: path)
        if let before, before.hash == hash { return before }
        let isChanged = before != nil || inner.contains { $0.library.name != $0.name }
        guard isChanged || PrivateLibrary.isTaken(name) else {
            return PrivateLibrary(
                original: path, path: path, name: name, isKnownByName: isKnownByName, hash: hash)
        }
        guard let newName = PrivateLibrary.newName(for: name) else { throw .stays(path) }
        let copy = try staging.copy(path, as: newName).path
        do throws(PluginError) {
            try write(inner, of: file, to: copy, as: isKnownByName ? (name, newName) : nil)
        } catch {
            StagingDirectory.removeCopy(copy)
            throw error
        }
        return PrivateLibrary(
            original: path, path: copy, name: newName, isKnownByName: isKnownByName, hash: hash)
    }

    /// Writes the names of private libraries into a copy.
    ///
    /// - Parameter own: the copy's own old and new name (`DT_SONAME`); nil to keep it.
    private mutating func write(
        _ needs: [Need], of file: ELFFile, to copy: String, as own: (old: String, new: String)? = nil
    ) throws(PluginError) {
        var names: [String: String] = [:]
        if let own { names[own.old] = own.new }
        for need in needs {
            if need.library.name != need.name { names[need.name] = need.library.name }
            if !need.library.isKnownByName { try lay(need, for: copy) }
        }
        guard !names.isEmpty else { return }
        guard let patches = file.patches(renaming: names) else { throw .stays(file.path) }
        try FileDescriptor.write(patches, to: copy)
    }

    /// Makes a link to a library without a `DT_SONAME`, in the folder where the loader looks for it.
    ///
    /// - Parameter copy: the copy that needs the library.
    private mutating func lay(_ need: Need, for copy: String) throws(PluginError) {
        let folder = Self.expand(need.folder, StagingDirectory.folder(of: copy))
        guard folder.hasPrefix(staging.path + "/") else {
            // The search path of both versions leads to the same folder, which has only one of them.
            guard need.library.name == need.name else { throw .stays(need.library.original) }
            return
        }
        if let link = staging.layLink(to: need.library.path, in: folder, as: need.library.name) {
            links.append(link)
        }
    }

    private static func combined(_ content: String, _ others: [String]) -> String {
        guard !others.isEmpty else { return content }
        var hash = ContentHash()
        let text = Array(([content] + others).joined().utf8)
        // Safe because the bytes are borrowed for the call.
        unsafe text.withUnsafeBytes { unsafe hash.update($0) }
        return hash.hex
    }

    /// Replaces `$ORIGIN` in a folder of the search path.
    private static func expand(_ folder: String, _ origin: String) -> String {
        folder.replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
    }
}

extension PluginImage {
    /// The files that decide what a plugin's library is: its own, then its private libraries, as they are now,
    /// and every place where a file would be taken for one. Some need not exist. Loads nothing.
    ///
    /// - Parameter path: the library's absolute path. A file that is no library has no private libraries.
    public static func files(ofLibrary path: String) -> [String] {
        PrivateLibraries.files(ofLibrary: path)
    }
}

extension PluginError {
    /// The host cannot load a private library beside the version before.
    fileprivate static func stays(_ path: String) -> PluginError {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return PluginError(
            .privateLibraryStays,
            "`\(path)` cannot be loaded beside the library of its name that a plugin has",
            help: [
                "link it with `-Wl,-soname,\(name)`, and what needs it after that; a name needs four letters before `.so`",
                "or start the app again",
            ], library: path)
    }
}
