import Glibc

/// Finds the CMake package and the header of this program's version for plugins: `find_package(Spinhost)`.
enum InstalledPackage {
    /// The path of this program without symbolic links; nil if the system does not give it.
    static var program: String? {
        // Safe because the path is a NUL-terminated copy for the call, and its result is freed below.
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
        // Safe because the text is copied before it is freed.
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// The value for `CMAKE_PREFIX_PATH`: the prefix of the program's installation, else the build folder of
    /// the checkout that it was built in. Nil if neither has the package.
    static func prefix(of program: String) -> String? {
        let folders = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        if folders.last == "bin" {
            let prefix = folders.dropLast().joined(separator: "/")
            if isFile("\(prefix)/share/cmake/Spinhost/SpinhostConfig.cmake") {
                return prefix.isEmpty ? "/" : prefix
            }
        }
        // In a checkout, SwiftPM builds into `.build`, and CMake into `build`.
        guard let build = folders.lastIndex(where: { $0.hasPrefix(".build") }) else { return nil }
        let checkout = folders[..<build].joined(separator: "/")
        return isFile("\(checkout)/build/SpinhostConfig.cmake") ? "\(checkout)/build" : nil
    }

    /// The folder of the program's `spinhost/plugin.h`; nil if it is not found.
    static func include(of program: String) -> String? {
        let folders = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        var candidates = [folders.dropLast().joined(separator: "/") + "/include"]
        if let build = folders.lastIndex(where: { $0.hasPrefix(".build") }) {
            candidates.append(folders[..<build].joined(separator: "/") + "/Sources/CPluginABI/include")
        }
        return candidates.first { isFile("\($0)/spinhost/plugin.h") }
    }

    private static func isFile(_ path: String) -> Bool {
        // Safe because the path is a NUL-terminated copy for the call.
        unsafe access(path, R_OK) == 0
    }
}
