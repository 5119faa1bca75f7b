/// The languages of `spinhost plugin new`.
enum PluginLanguage: String, CaseIterable {
    case c
    case cPlusPlus = "c++"
    case swift

    /// The names of the source files.
    var sources: [String] {
        switch self {
        case .c: ["plugin.c"]
        case .cPlusPlus: ["plugin.cpp"]
        case .swift: ["plugin.swift", "plugin.c"]
        }
    }

    /// CMake's names of the languages.
    var cmakeLanguages: String {
        switch self {
        case .c: "C"
        case .cPlusPlus: "CXX"
        case .swift: "C Swift"
        }
    }

    /// CMake settings for the language.
    var cmakeSettings: String {
        switch self {
        case .c, .swift: "set(CMAKE_C_STANDARD 11)\n"
        case .cPlusPlus: "set(CMAKE_CXX_STANDARD 17)\n"
        }
    }

    /// True if the template has an effect that emits, and not only one that returns.
    var emits: Bool { self != .swift }

    /// The text parameter of the template's effects.
    var textParameter: String { self == .swift ? "const char *text" : "spin_string text" }
}
