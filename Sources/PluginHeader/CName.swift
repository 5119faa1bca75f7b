/// Makes names that are valid in C11 and C++17 and are not macros of common systems.
enum CName {
    /// The names of one scope, which are unique.
    struct Scope {
        private var used: Set<String> = []

        /// `wanted` if it is free, else `wanted` with `_` or a number at its end.
        mutating func name(_ wanted: String) -> String {
            let first = CName.keywords.contains(wanted) ? wanted + "_" : wanted
            // C++ reserves names with two underscores.
            let stem = first.hasSuffix("_") ? first : first + "_"
            var name = first
            var number = 2
            while !used.insert(name).inserted {
                name = "\(stem)\(number)"
                number += 1
            }
            return name
        }
    }

    /// A name in upper case, with `_` for characters other than letters and digits.
    static func constant(_ name: String) -> String {
        String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static let keywords: Set<String> = [
        // C11
        "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
        "extern",
        "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short",
        "signed",
        "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
        // C++17, and what C23 and C++20 add
        "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char8_t",
        "char16_t",
        "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "consteval",
        "constexpr",
        "constinit", "const_cast", "decltype", "delete", "dynamic_cast", "explicit", "export", "false",
        "friend",
        "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
        "private", "protected", "public", "reinterpret_cast", "requires", "static_assert", "static_cast",
        "template", "this", "thread_local", "throw", "true", "try", "typeid", "typename", "typeof",
        "typeof_unqual", "using", "virtual", "wchar_t", "xor", "xor_eq",
        // Macros of compilers and of the C library
        "complex", "errno", "i386", "imaginary", "linux", "noreturn", "unix",
    ]
}
