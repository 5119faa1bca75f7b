/// The languages of `spinhost plugin new`.
enum PluginLanguage: String, CaseIterable {
    case c
    case cPlusPlus = "c++"
    case swift
    case rust

    /// The name of the source file.
    var source: String {
        switch self {
        case .c: "plugin.c"
        case .cPlusPlus: "plugin.cpp"
        case .swift: "plugin.swift"
        case .rust: "plugin.rs"
        }
    }

    /// CMake's names of the languages.
    var cmakeLanguages: String {
        switch self {
        case .c: "C"
        case .cPlusPlus: "CXX"
        case .swift: "C Swift"
        case .rust: "NONE"
        }
    }

    /// CMake settings for the language.
    var cmakeSettings: String {
        switch self {
        case .c: "set(CMAKE_C_STANDARD 11)\n"
        case .cPlusPlus: "set(CMAKE_CXX_STANDARD 17)\n"
        case .swift, .rust: ""
        }
    }

    /// The CMake command that adds the plugin.
    func cmakePlugin(_ name: String) -> String {
        switch self {
        case .c, .cPlusPlus, .swift:
            "spinhost_add_plugin(\(name) SOURCES \(source))"
        case .rust: "spinhost_add_rust_plugin(\(name))"
        }
    }
}
