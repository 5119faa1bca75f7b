public import Foundation

/// The folder of this checkout, and the products of its build.
public enum Project {
    /// The folder of Package.swift.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder with the products of this build, which has the test program.
    public static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// Compiler flags that name the folders of this build's modules, and of the C module that `HostLoop`
    /// needs.
    public static let moduleFlags = ["Modules", "CMemoryOrder.build"].flatMap {
        ["-I", products.appendingPathComponent($0).path]
    }

    /// The `spinhost` of this build.
    public static let spinhost = products.appendingPathComponent("spinhost").path

    /// Whether tests write the files that they otherwise compare with.
    public static let isRegenerating = ProcessInfo.processInfo.environment["SPIN_REGENERATE"] != nil
}
