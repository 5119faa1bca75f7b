import Glibc

/// Where CMake finds what the running program's version of the host gives to plugins: `find_package(Spinhost)`.
enum InstalledPackage {
    /// The path of this program, without symbolic links; nil when the system does not say.
    static var program: String? {
        // Safe because the path is a NUL-terminated copy for the call, whose answer is freed below.
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return nil }
        // Safe because the text is copied before it is freed.
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// What belongs into `CMAKE_PREFIX_PATH`: the folder that the program is installed below, else the build folder of
    /// the checkout that it was built in; nil when neither has the package.
    static func prefix(of program: String) -> String? {
        let folders = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        if folders.last == "bin" {
            let prefix = folders.dropLast().joined(separator: "/")
            if isFile("\(prefix)/share/cmake/Spinhost/SpinhostConfig.cmake") {
                return prefix.isEmpty ? "/" : prefix
            }
        }
        // SwiftPM builds into `.build` of a checkout, CMake into `build` beside it.
        guard let build = folders.lastIndex(where: { $0.hasPrefix(".build") }) else { return nil }
        let checkout = folders[..<build].joined(separator: "/")
        return isFile("\(checkout)/build/SpinhostConfig.cmake") ? "\(checkout)/build" : nil
    }

    /// The folder of `spinhost/plugin.h` for the program; nil when there is none.
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
