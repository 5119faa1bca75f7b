import Foundation
import TestSupport
import Testing

/// Zig, if it is on this machine.
enum ZigCompiler {
    /// Why tests that need it are skipped.
    static let isMissing: Comment = "there is no Zig 0.17 on this machine; `script/zig` gets it"

    /// The program: on the path under one of its names, or what `script/zig` has fetched.
    static let program: String? = {
        let fetched = Project.root.appendingPathComponent(".build/zig/ziglang/zig").path
        return ["zig", "python-zig", fetched].first { program in
            guard let outcome = try? Shell.run("env", [program, "version"]), outcome.status == 0 else {
                return false
            }
            let numbers = outcome.output.split(separator: ".").prefix(2).compactMap { Int($0) }
            return numbers.count == 2 && (numbers[0], numbers[1]) >= (0, 17)
        }
    }()

    /// Variables with which CMake finds it.
    static let environment: [String: String] = {
        guard let program, program.hasPrefix("/") else { return [:] }
        let folder = URL(fileURLWithPath: program).deletingLastPathComponent().path
        return ["PATH": "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
    }()

    /// The folder with the plugin of `Tests/Fixtures/zig-plugin`, compiled as docs/abi.md says.
    static func library(_ name: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write(
            "build",
            """
            zig='\(program ?? "zig")'
            header='\(Project.root.path)/Sources/CPluginABI/include'
            bindings='\(Project.root.path)/bindings/zig'
            source='\(Project.root.path)/Tests/Fixtures/zig-plugin/\(name).zig'
            "$zig" translate-c -lc -I "$header" "$header/spinhost/plugin.h" > plugin.h.zig
            "$zig" build-lib -dynamic -fPIC -fllvm -O ReleaseSafe -lc --name \(name) -femit-bin=\(name).so \\
                --dep spinhost -Mroot="$source" \\
                --dep c -fPIC -O ReleaseSafe -Mspinhost="$bindings/spinhost.zig" \\
                -fPIC -O ReleaseSafe -Mc=plugin.h.zig
            """)
        let built = try Shell.run("bash", ["-e", "build"], in: folder.root)
        try #require(built.status == 0, "\(built.errors)")
        return folder
    }
}
