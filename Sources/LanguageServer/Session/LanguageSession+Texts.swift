import Manifest
import Records

extension LanguageSession {
    func open(_ parameters: Value) {
        guard let text = parameters["textDocument"], let address = text["uri"]?.text,
            let content = text["text"]?.text
        else { return warn("spinhost: `textDocument/didOpen` has no text") }
        let path = Manifest.realPath(of: FileAddress.path(of: address))
        paths[address] = path
        let file = ManifestText(path: path, TextLines(content, unit))
        texts[path] = OpenText(
            address: address, version: text["version"]?.number ?? 0, file: file, root: root(of: path, content)
        )
        requestChecks(of: path)
    }

    func change(_ parameters: Value) {
        guard let address = parameters[path: "textDocument", "uri"]?.text,
            let path = paths[address], var text = texts[path]
        else { return warn("spinhost: a text changes that is not open") }
        var lines = text.file.lines
        for change in parameters["contentChanges"]?.elements ?? [] {
            guard let content = change["text"]?.text, lines.replace(change["range"], with: content) else {
                warn(
                    "spinhost: a change of `\(path)` has no text or a wrong range; please open the file again"
                )
                return
            }
        }
        text.version = parameters[path: "textDocument", "version"]?.number ?? text.version
        text.file = ManifestText(path: path, lines)
        texts[path] = text
        requestChecks(of: path)
    }

    /// Asks for a check of each manifest that has the file.
    private func requestChecks(of path: String) {
        let roots = manifests.filter { $0.value.files.contains(path) }.keys + [texts[path]?.root ?? path]
        for root in Set(roots).sorted() { requestCheck(of: root) }
    }

    func close(_ parameters: Value) {
        guard let address = parameters[path: "textDocument", "uri"]?.text,
            let path = paths.removeValue(forKey: address), let text = texts.removeValue(forKey: path)
        else { return }
        if texts.values.contains(where: { $0.root == text.root }) { return requestCheck(of: text.root) }
        for address in manifests.removeValue(forKey: text.root)?.published.sorted() ?? [] {
            publish([], at: address, version: nil)
        }
    }

    /// The manifest of a file: one that is open and includes it, or an `app.toml` in a folder above it that does; else
    /// the file itself.
    private func root(of path: String, _ content: String) -> String {
        if let known = manifests.first(where: { $0.value.files.contains(path) })?.key { return known }
        var buffers = buffers
        buffers[path] = content
        var folder = path[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            let manifest = "\(folder)/app.toml"
            guard manifest != path, case let real = Manifest.realPath(of: manifest) else { continue }
            let files = Manifest.places(of: real, buffers: buffers).files
            if files.contains(where: { Manifest.realPath(of: $0) == path }) { return real }
        }
        return path
    }

    /// The contents of the open texts, by path.
    var buffers: [String: String] { texts.mapValues { $0.file.lines.text } }

    /// The files of a text's manifest, and what its last check found out.
    func project(of text: OpenText) -> Project {
        let manifest = manifests[text.root]
        let others = (manifest?.files ?? []).filter { $0 != text.file.path }
        let files = others.compactMap { texts[$0]?.file ?? manifest?.closed[$0] }
        return Project(files: [text.file] + files, model: manifest?.model)
    }
}
