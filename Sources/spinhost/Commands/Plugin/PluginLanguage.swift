/// The languages of `spinhost plugin new`.
enum PluginLanguage: String, CaseIterable {
    case c
    case cPlusPlus = "c++"
    case swift
    case rust
    case zig

    /// The name of the source file.
    var source: String {
        switch self {
        case .c: "plugin.c"
        case .cPlusPlus: "plugin.cpp"
        case .swift: "plugin.swift"
        case .rust: "plugin.rs"
        case .zig: "plugin.zig"
        }
    }

    /// CMake's names of the languages.
    var cmakeLanguages: String {
        switch self {
        case .c: "C"
        case .cPlusPlus: "CXX"
        case .swift: "C Swift"
        case .rust, .zig: "NONE"
        }
    }

    /// CMake settings for the language.
    var cmakeSettings: String {
        switch self {
        case .c: "set(CMAKE_C_STANDARD 11)\n"
        case .cPlusPlus: "set(CMAKE_CXX_STANDARD 17)\n"
        case .swift, .rust, .zig: ""
        }
    }

    /// Lines of `.gitignore` for what the language's own build tool makes beside the sources.
    var ignored: String { self == .zig ? "/zig-out/\n/.zig-cache/\n" : "" }

    /// A paragraph of the README about a build without CMake.
    var buildWithoutCMake: String {
        guard self == .zig else { return "" }
        return """

            It also builds without CMake. FOLDER is where spinhost is installed, by default `/usr`:

                zig build --release --prefix build -Dspinhost=FOLDER

            """
    }

    /// The CMake command that adds the plugin.
    func cmakePlugin(_ name: String) -> String {
        switch self {
        case .c, .cPlusPlus, .swift:
            "spinhost_add_plugin(\(name) SOURCES \(source))"
        case .rust: "spinhost_add_rust_plugin(\(name))"
        case .zig: "spinhost_add_zig_plugin(\(name))"
        }
    }
}
