public import Diagnostics
public import Manifest
import PluginHost
import Sandbox

extension App {
    /// The rules of plugins that the kernel of this machine cannot keep: errors, with `app.sandbox = "best-effort"`
    /// warnings.
    public static func sandboxFaults(of manifest: Manifest) -> [Diagnostic] {
        sandboxFaults(of: manifest, with: .current)
    }

    static func sandboxFaults(of manifest: Manifest, with ability: SandboxAbility) -> [Diagnostic] {
        manifest.plugins.flatMap { plugin in
            missingRules(of: plugin, with: ability).map { rule in
                let isOptional = plugin.sandbox?.enforcement == .bestEffort
                return Diagnostic(
                    isOptional ? .warning : .error, .workerNotStarted,
                    "the kernel cannot keep the sandbox of `\(plugin.name)`: \(rule)",
                    at: plugin.isolationSpan ?? plugin.span,
                    help: isOptional
                        ? [] : ["`app.sandbox = \"best-effort\"` starts the app without the rule"])
            }
        }
    }

    /// The rules of a plugin that the kernel of this machine cannot keep, in words.
    public static func missingRules(of plugin: PluginModel) -> [String] {
        missingRules(of: plugin, with: .current)
    }

    private static func missingRules(of plugin: PluginModel, with ability: SandboxAbility) -> [String] {
        plugin.sandbox.map { ability.missing(for: SandboxPolicy($0, [])) } ?? []
    }
}
