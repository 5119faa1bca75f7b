/// A language that diagrams are written in; both are text, in an order that depends on the declarations alone.
public enum DiagramFormat: Sendable, Hashable, CaseIterable {
    /// Mermaid, which Markdown renderers draw: `stateDiagram-v2` for transitions, `flowchart` for a spin.
    case mermaid
    /// DOT, the language of Graphviz.
    case dot
}
