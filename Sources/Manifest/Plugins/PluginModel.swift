public import Diagnostics
public import Interfaces
public import Records

/// A library of the manifest: `[plugins.NAME]`.
public struct PluginModel: Sendable {
    /// Its name in the manifest, unique there.
    public let name: String
    /// The location of its library.
    public let location: LibraryLocation
    /// The functions in `declares`; nil if the key is absent.
    public let declarations: CDeclarations?
    /// The text of `declares` in its file. Ranges of `declarations` are ranges of this text. Nil if the key
    /// is absent.
    public let declarationsText: SourceText?
    /// The description in the library's notes; nil for a library without notes, and for one of the system.
    public let description: PluginDescription?
    /// The C headers from which `declares` was made, as the manifest names them.
    public let headers: [String]
    /// The symbol of the function that frees returned strings; nil if they are not freed.
    public let freeFunction: String?
    /// The value of `free`; nil if the key is absent.
    public let freeSpan: SourceSpan?
    /// The function that closes pointers which the library opened; nil if they are not closed.
    public let release: CFunction?
    /// The value of `release`; nil if the key is absent.
    public let releaseSpan: SourceSpan?
    /// The SHA-256 hash that its file must have, 64 hexadecimal digits; nil for any hash.
    public let sha256: String?
    /// The effect of a crash in one of its calls.
    public let isolation: IsolationModel
    /// The value of `isolation`; nil if the key is absent.
    public let isolationSpan: SourceSpan?
    /// The rules for its process; nil unless `isolation` is `process`.
    public let sandbox: SandboxModel?
    /// The keys of its `sandbox`, by name, for reports about a rule.
    public let sandboxSpans: [String: SourceSpan]
    /// The values of its settings, a record of `ConfigDescription.type`; nil for a plugin without settings.
    public let config: Record?
    /// The values of its settings in the manifest, by name, for reports about a setting.
    public let settingSpans: [String: SourceSpan]
    /// Whether loops share an instance of it, if it has instances.
    public let instance: InstanceScope
    /// What the manifest says of it, except how it is built and the values of its settings.
    public let declared: DeclaredValue
    /// The key that names it.
    public let span: SourceSpan
    /// The value of `library`.
    public let librarySpan: SourceSpan

    /// A plugin named at `span`.
    ///
    /// - Precondition: it has a sandbox exactly if `isolation` is `process`.
    public init(
        name: String, location: LibraryLocation, declarations: CDeclarations?,
        declarationsText: SourceText?, description: PluginDescription?,
        headers: [String], freeFunction: String?, freeSpan: SourceSpan?,
        release: CFunction? = nil, releaseSpan: SourceSpan? = nil, sha256: String? = nil,
        isolation: IsolationModel = .inline, isolationSpan: SourceSpan? = nil, sandbox: SandboxModel? = nil,
        sandboxSpans: [String: SourceSpan] = [:], config: Record? = nil,
        settingSpans: [String: SourceSpan] = [:], instance: InstanceScope = .loop,
        declared: DeclaredValue, span: SourceSpan, librarySpan: SourceSpan
    ) {
        precondition((isolation == .process) == (sandbox != nil), "a process of its own has rules")
        (self.isolationSpan, self.sandbox, self.sandboxSpans) = (isolationSpan, sandbox, sandboxSpans)
        (self.release, self.releaseSpan) = (release, releaseSpan)
        (self.sha256, self.isolation) = (sha256, isolation)
        (self.config, self.settingSpans) = (config, settingSpans)
        (self.instance, self.declared) = (instance, declared)
        (self.name, self.location, self.declarations) = (name, location, declarations)
        self.declarationsText = declarationsText
        (self.description, self.headers) = (description, headers)
        (self.freeFunction, self.freeSpan) = (freeFunction, freeSpan)
        (self.span, self.librarySpan) = (span, librarySpan)
    }

    /// Where the manifest has the setting that the plugin's reason for a failure names, as in ``setting `server`: …``;
    /// nil if it names none. It is a note and no place of a report, as a line with a setting may have a password in it.
    public func note(onFailure reason: String) -> String? {
        let words = reason.split(separator: "`", omittingEmptySubsequences: false)
        let name = zip(words, words.dropFirst()).first { $0.0.hasSuffix("setting ") }?.1
        guard let name, let span = settingSpans[String(name)] else { return nil }
        return "`\(name)` is at \(span.file.name):\(span.start.line):\(span.start.column)"
    }
}
