package import Diagnostics
package import Expressions

/// Keeps what the names of each expression mean, while a manifest is decoded.
package final class ScopeRecorder {
    /// The names of an expression that starts here.
    package struct Entry: Sendable {
        package let start: SourceSpan
        package let scope: Scope
    }

    /// In the order in which the expressions are compiled. One that is compiled several times has several entries.
    package private(set) var entries: [Entry] = []
    /// The names of all expressions of a loop, by its name.
    package private(set) var loops: [String: Scope] = [:]

    func add(_ scope: ExpressionScope, at start: SourceSpan) {
        entries.append(Entry(start: start, scope: scope.shared))
    }

    func add(_ scope: ExpressionScope, ofLoop name: String) { loops[name] = scope.shared }
}

extension ExpressionScope {
    /// The names that all variants share.
    fileprivate var shared: Scope { (common ?? variants[0]).scope }
}
