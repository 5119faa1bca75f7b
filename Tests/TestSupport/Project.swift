public import Foundation

/// Where this checkout is and what was built of it.
public enum Project {
    /// The folder of Package.swift.
    public static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folder with the products of this build: the one that the test program is in.
    public static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// What tells a compiler where the modules of this build are, and the one in C that `HostLoop` is made with.
    public static let moduleFlags = ["Modules", "CMemoryOrder.build"].flatMap {
        ["-I", products.appendingPathComponent($0).path]
    }

    /// The `spinhost` of this build.
    public static let spinhost = products.appendingPathComponent("spinhost").path
}
