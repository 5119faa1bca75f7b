public import Diagnostics

// Faults in C declarations (C001 to C019) and in the arguments of a call (C020 to C029), and reasons why a
// header's function cannot be declared for a manifest (C040 to C049).
extension DiagnosticCode {
    /// C001: a syntax error in a C declaration.
    public static let declarationSyntax = DiagnosticCode("C001")
    /// C002: an unknown type in a C declaration.
    public static let unknownType = DiagnosticCode("C002")
    /// C003: a preprocessor line in C declarations.
    public static let preprocessorLine = DiagnosticCode("C003")
    /// C004: a bit-field in a structure.
    public static let bitField = DiagnosticCode("C004")
    /// C005: a function pointer that the host cannot make.
    public static let functionPointer = DiagnosticCode("C005")
    /// C006: a function with a variable number of arguments.
    public static let variadicFunction = DiagnosticCode("C006")
    /// C007: a union.
    public static let unionType = DiagnosticCode("C007")
    /// C008: a C type that the host cannot pass, such as `long double`.
    public static let unsupportedType = DiagnosticCode("C008")
    /// C009: an empty parameter list `()`.
    public static let openParameters = DiagnosticCode("C009")
    /// C010: two different declarations of one name.
    public static let declaredTwice = DiagnosticCode("C010")
    /// C011: a value of a type without a known size.
    public static let incompleteType = DiagnosticCode("C011")
    /// C012: a constant that the host cannot compute, or that does not fit its type.
    public static let invalidConstant = DiagnosticCode("C012")
    /// C013: declarations that exceed a limit.
    public static let declarationLimit = DiagnosticCode("C013")
    /// C014: a variable, a function body or C++ in C declarations.
    public static let notAnInterface = DiagnosticCode("C014")
    /// C015: an attribute or another compiler extension.
    public static let compilerExtension = DiagnosticCode("C015")
    /// C016: a character that C does not allow here, or an unclosed comment.
    public static let strayCharacter = DiagnosticCode("C016")
    /// C017: type words that do not combine, such as `unsigned double`.
    public static let invalidTypeWords = DiagnosticCode("C017")

    /// C020: a call with the wrong number of arguments.
    public static let argumentCount = DiagnosticCode("C020")
    /// C021: an expression for a parameter that the function writes, or `out` for one that it reads.
    public static let argumentDirection = DiagnosticCode("C021")
    /// C022: a parameter or result whose C type the host cannot convert.
    public static let unconvertibleType = DiagnosticCode("C022")
    /// C023: an `out` parameter whose size or form does not fit its type.
    public static let outParameterForm = DiagnosticCode("C023")

    /// C040: a function that the header does not declare.
    public static let unknownFunction = DiagnosticCode("C040")
    /// C041: a function that no library exports under its name, such as a macro or a `static` function.
    public static let noSymbol = DiagnosticCode("C041")
}

// Faults in a library's file (P001 to P012) and in a plugin's notes (P013 to P019).
extension DiagnosticCode {
    /// P001: there is no such file.
    public static let fileMissing = DiagnosticCode("P001")
    /// P002: a directory instead of a file.
    public static let fileIsDirectory = DiagnosticCode("P002")
    /// P003: the file cannot be read.
    public static let fileUnreadable = DiagnosticCode("P003")
    /// P004: a pipe, socket or device instead of a file.
    public static let fileIsSpecial = DiagnosticCode("P004")
    /// P005: the file is empty.
    public static let fileEmpty = DiagnosticCode("P005")
    /// P006: not an ELF file.
    public static let fileNotELF = DiagnosticCode("P006")
    /// P007: an ELF file for another word size, byte order or operating system.
    public static let fileOtherClass = DiagnosticCode("P007")
    /// P008: an ELF file for another machine.
    public static let fileOtherMachine = DiagnosticCode("P008")
    /// P009: an ELF file that is not a shared library.
    public static let fileNotLibrary = DiagnosticCode("P009")
    /// P010: a truncated file.
    public static let fileTruncated = DiagnosticCode("P010")
    /// P011: a malformed ELF file.
    public static let fileMalformed = DiagnosticCode("P011")
    /// P012: `library` is neither a path nor the name of a library.
    public static let libraryName = DiagnosticCode("P012")

    /// P013: a plugin for another version of the ABI.
    public static let abiMismatch = DiagnosticCode("P013")
    /// P014: a plugin without an id and version, or with malformed ones.
    public static let pluginIdentity = DiagnosticCode("P014")
    /// P015: a plugin declares an effect or emitter that the host cannot use.
    public static let pluginDeclaration = DiagnosticCode("P015")
    /// P016: a plugin declares the same name twice.
    public static let pluginDeclaresTwice = DiagnosticCode("P016")
    /// P017: a plugin was compiled with a header that does not match the manifest.
    public static let layoutMismatch = DiagnosticCode("P017")
    /// P018: no plugin of that name comes with the host.
    public static let unknownIncludedPlugin = DiagnosticCode("P018")
    /// P070: the file's hash is not the expected one.
    public static let hashMismatch = DiagnosticCode("P070")
    /// P071: `app.plugins` does not allow the library.
    public static let libraryNotAllowed = DiagnosticCode("P071")
}
