/// What a part of a manifest says, without its layout: two are equal when they have the same keys with the same values. Keys
/// that begin with `x-` are the user's own, and do not count.
///
/// Whether a plugin or a feedback has changed is decided by comparing these, so that a key counts without being named
/// anywhere else.
public struct DeclaredValue: Hashable, Sendable {
    private indirect enum Content: Hashable, Sendable {
        case table([String: Content])
        case array([Content])
        case string(String)
        case integer(Int64)
        case float(Double)
        case boolean(Bool)
        case date(String)

        init(_ node: TOMLNode, without keys: Set<String> = []) {
            switch node.content {
            case .table(let entries, _):
                let kept = entries.filter { !keys.contains($0.key) && !$0.key.hasPrefix("x-") }
                self = .table(
                    Dictionary(
                        kept.map { ($0.key, Content($0.value)) }, uniquingKeysWith: { first, _ in first }))
            case .array(let elements): self = .array(elements.map { Content($0) })
            case .string(let text): self = .string(text)
            case .integer(let number): self = .integer(number)
            case .float(let number): self = .float(number)
            case .boolean(let value): self = .boolean(value)
            case .date(let text): self = .date(text)
            }
        }
    }

    private let content: Content

    /// - Parameter keys: those of the table itself that do not count.
    init(_ node: TOMLNode, without keys: Set<String> = []) { content = Content(node, without: keys) }
}
