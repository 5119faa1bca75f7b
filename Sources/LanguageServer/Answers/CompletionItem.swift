import Expressions
import Records

/// A name that can be written at a place.
struct CompletionItem {
    /// How clients show it; the numbers are those of the protocol.
    enum Kind: Int {
        case method = 2
        case function = 3
        case field = 5
        case variable = 6
        case module = 9
        case property = 10
        case value = 12
        case keyword = 14
        case member = 20
        case constant = 21
        case structure = 22
        case event = 23
        case type = 25
    }

    let label: String
    let kind: Kind
    /// Its type or form, in one line or more.
    var detail = ""
    var doc = ""
    /// The text that replaces what is written of it; nil for the label.
    var text: String?

    /// - Parameter range: what is written of it, as a value of the protocol.
    func value(replacing range: Value) -> Value {
        .object([
            ("label", .string(label)), ("kind", .number(kind.rawValue)),
            ("detail", detail.isEmpty ? nil : .string(detail)),
            ("documentation", doc.isEmpty ? nil : .string(doc)),
            ("textEdit", .record([("range", range), ("newText", .string(text ?? label))])),
        ])
    }

    init(_ label: String, _ kind: Kind, detail: String = "", doc: String = "", text: String? = nil) {
        (self.label, self.kind, self.detail, self.doc, self.text) = (label, kind, detail, doc, text)
    }

    init(_ choice: ExpressionOutline.Choice) {
        let kind: Kind =
            switch choice.kind {
            case .field: .field
            case .variable: .variable
            case .value: .value
            case .function: .function
            case .method: .method
            case .keyword: .keyword
            case .member: .member
            }
        let isFunction = choice.kind == .function || choice.kind == .method
        let description =
            isFunction ? FunctionDescription.named(choice.name, isMethod: choice.kind == .method) : nil
        self.init(choice.name, kind, detail: choice.detail, doc: description?.doc ?? "")
    }
}

extension CompletionItem.Kind {
    init(_ kind: ManifestName.Kind) {
        self =
            switch kind {
            case .loop, .plugin, .gear: .module
            case .event, .message: .event
            case .feedback: .function
            case .type: .type
            case .constant: .constant
            case .stateCase: .member
            case .field, .eventField, .messageField: .field
            case .value: .value
            }
    }
}
