import Interfaces

/// Tries the rules of `CheckRule.Stage.file`: reads a library and runs none of its code.
struct FileTrial {
    private let file: Result<ELFFile, InterfaceError>

    init(path: String) {
        do { file = .success(try ELFFile(path: path)) } catch { file = .failure(error) }
    }

    func outcome(of rule: CheckRule) -> RuleOutcome {
        let file: ELFFile
        switch self.file {
        case .success(let read): file = read
        case .failure(let error):
            return rule == .wholeLibrary
                ? .failed(error.message) : .skipped("the file cannot be read as a library")
        }
        switch rule {
        case .noExecutableStack:
            return file.hasExecutableStack
                ? .failed(
                    "it asks for an executable stack, which the loader refuses since glibc 2.41; link with `-z noexecstack`"
                )
                : .passed
        case .noUniqueSymbols:
            let names = file.uniqueSymbols.map { "`\($0)`" }
            return names.isEmpty
                ? .passed
                : .failed(
                    "all versions of it in a process share \(names.joined(separator: ", ")); compile with `-fno-gnu-unique`"
                )
        default: return rule.isOfNotes ? outcome(of: rule, notesOf: file) : .passed
        }
    }

    private func outcome(of rule: CheckRule, notesOf file: ELFFile) -> RuleOutcome {
        let plugin: PluginDescription
        do {
            guard let read = try PluginDescription.read(from: file) else {
                return .skipped("it has no notes: a manifest declares its functions")
            }
            plugin = read
        } catch {
            let broken = CheckRule.ofNotes(error.code)
            return rule == broken ? .failed(error.message) : .skipped("the notes break `\(broken.rawValue)`")
        }
        switch rule {
        case .callable:
            return .of(
                plugin.effects.compactMap { effect -> String? in
                    do throws(InterfaceError) {
                        _ = try effect.function.trialSignature()
                        return nil
                    } catch { return error.message }
                })
        case .exports:
            return .of(file.defines("spin_entry") ? [] : ["it does not export `spin_entry`"])
        default: return .passed
        }
    }
}

extension CFunction {
    /// A signature in which each parameter is an input if its type allows it, else memory for one element.
    func trialSignature() throws(InterfaceError) -> CallSignature {
        var arguments = [CallArgument](repeating: .input, count: ownParameters.count)
        while true {
            do { return try CallSignature(self, arguments: arguments) } catch {
                guard error.code == .argumentDirection, let index = error.argument,
                    arguments[index] == .input
                else { throw error }
                arguments[index] = .out(count: 1, as: .elements)
            }
        }
    }
}
