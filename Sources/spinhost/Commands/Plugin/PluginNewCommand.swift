import ArgumentParser

extension PluginLanguage: ExpressibleByArgument {}

/// `spinhost plugin new`
struct PluginNewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a folder with a plugin, an app that uses it, and tests of both.",
        discussion: """
            CMake builds it with Ninja. `CMakeUserPresets.json` has the path of spinhost on this machine, so do not \
            commit it; commit all other files.
            """)

    @Argument(help: "The plugin's name: a letter, then letters, digits and `_`.")
    var name: String

    @Option(help: "The language of the plugin.")
    var language = PluginLanguage.c

    @Option(
        help: ArgumentHelp("The folder to make; by default NAME.", valueName: "path"),
        completion: .directory)
    var directory: String?

    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func validate() throws {
        guard directory?.isEmpty != true else { throw ValidationError("`--directory` needs a path") }
        let like = Self.name(like: name)
        guard like != name || name.isEmpty else { return }
        let reason =
            Self.reservedNames.contains(name)
            ? "the host, CMake or a language reserves it" : "up to 64 letters, digits and `_`, a letter first"
        throw ValidationError(
            "`\(name)` cannot be a plugin's name: \(reason)" + (like.isEmpty ? "" : "; `\(like)` can"))
    }

    /// The words of a text as a plugin's name, which is the text itself if that can be one; empty without letters.
    private static func name(like text: String) -> String {
        let words = text.split { !$0.isASCII || !$0.isLetter && !$0.isNumber && $0 != "_" }
        let name = String(words.joined(separator: "_").drop { !$0.isLetter }.prefix(64))
        return reservedNames.contains(name) ? name + "_plugin" : name
    }

    func run() throws {
        let output = try CommandOutput()
        let path = directory ?? name
        let program = InstalledPackage.program
        let prefix = program.flatMap(InstalledPackage.prefix(of:))
        let template = PluginTemplate(name: name, language: language)
        // `./` keeps later commands from reading a path that begins with `-` as an option.
        let folder = ProjectFolder(path: path.hasPrefix("-") ? "./\(path)" : path)
        try folder.make(template.files(program: program, prefix: prefix))
        if prefix == nil {
            ErrorOutput.line(
                """
                note: no CMake package of spinhost was found beside this program; `apt install libspinhost-dev` \
                installs one, and so does `script/install` in spinhost's folder
                """)
        }
        try output.line(
            "made \(path); now type: cd \(ShellWord.readable(folder.path)) && \(PluginTemplate.build) && spinhost"
        )
    }

    /// Targets of CMake, modules and keywords of Swift, keywords of Rust, and the host's built-in plugin.
    private static let reservedNames = Set(
        """
        std all clean depend edit_cache help install list_install_components package package_source rebuild_cache test \
        SpinPlugin SpinPluginMacros SpinPluginEntry CPluginABI Swift Foundation Glibc Builtin main \
        Any as associatedtype break case catch class continue default defer deinit do else enum extension fallthrough \
        false fileprivate for func guard if import in init inout internal is let nil operator precedencegroup private \
        protocol public repeat rethrows return self Self static struct subscript super switch throw throws true try \
        typealias var where while \
        abstract as async await become box const crate dyn extern final fn gen impl loop macro match mod move mut override \
        priv pub ref trait type typeof union unsized use virtual yield spinhost core alloc proc_macro
        """.split(separator: " ").map(String.init))
}
