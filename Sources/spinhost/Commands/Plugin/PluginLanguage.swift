/// The languages that `spinhost plugin new` knows.
enum PluginLanguage: String, CaseIterable {
    case c
    case cPlusPlus = "c++"
    case swift

    /// The files with code.
    var sources: [String] {
        switch self {
        case .c: ["plugin.c"]
        case .cPlusPlus: ["plugin.cpp"]
        case .swift: ["plugin.swift", "plugin.c"]
        }
    }

    /// What CMake calls what it takes to compile them.
    var cmakeLanguages: String {
        switch self {
        case .c: "C"
        case .cPlusPlus: "CXX"
        case .swift: "C Swift"
        }
    }

    /// What CMake is told about the language.
    var cmakeSettings: String {
        switch self {
        case .c, .swift: "set(CMAKE_C_STANDARD 11)\n"
        case .cPlusPlus: "set(CMAKE_CXX_STANDARD 17)\n"
        }
    }

    /// True when the plugin that one begins with emits, and does not only return.
    var emits: Bool { self != .swift }

    /// The type of text among the parameters of its effects.
    var textParameter: String { self == .swift ? "const char *text" : "spin_string text" }
}
