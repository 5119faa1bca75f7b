import Diagnostics
import Expressions
public import Manifest

extension App {
    /// Reads and checks the manifest at `path` with the `std` plugin of this program (`Manifest.load`).
    public static func loadManifest(
        path: String, overrides: [String] = [], journal: JournalOverride = JournalOverride(),
        isDevelopment: Bool = false
    ) -> Manifest.Loaded {
        Manifest.load(
            path: path, standardPlugin: StandardPluginImage.description, overrides: overrides,
            journal: journal, isDevelopment: isDevelopment)
    }

    /// Reads the declarations of the manifest at `path`, without its plugins (`Manifest.loadDeclarations`).
    public static func loadDeclarations(path: String) -> Manifest.Loaded {
        Manifest.loadDeclarations(path: path, standardPlugin: StandardPluginImage.description)
    }
}

extension Manifest {
    /// Whether a feedback prints lines with `std:print`. Then stdout is for these lines only.
    public var printsOutput: Bool {
        loops.flatMap(\.feedbacks).contains { feedback in
            feedback.effect?.provider == .standard && feedback.effect?.name == "print" && !feedback.isDisabled
        }
    }

    /// True when a feedback reads the standard input, or may do so: its path is `-`, or is not a constant.
    public var readsInput: Bool {
        loops.flatMap(\.feedbacks).contains { feedback in
            guard feedback.effect?.provider == .standard, feedback.effect?.name == "lines",
                !feedback.isDisabled
            else { return false }
            return feedback.variants.flatMap(\.arguments).contains { path in
                !path.reads.isEmpty || ["'-'", "\"-\""].contains(path.text.text)
            }
        }
    }

    /// True when a feedback waits for SIGHUP (`std:signal`), or may do so: the name of its signal is not a constant.
    public var takesHangUp: Bool {
        loops.flatMap(\.feedbacks).contains { feedback in
            guard feedback.effect?.provider == .standard, feedback.effect?.name == "signal",
                !feedback.isDisabled
            else { return false }
            return feedback.variants.flatMap(\.arguments).contains { name in
                !name.reads.isEmpty || ["'HUP'", "\"HUP\""].contains(name.text.text)
            }
        }
    }
}
