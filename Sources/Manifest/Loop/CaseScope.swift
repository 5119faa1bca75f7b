import Diagnostics
import Records

/// Which cases a state may be in where something is written, and so which of its fields are there.
struct CaseScope {
    /// The state's type.
    let type: RecordType
    /// The cases, as indices into those of the type, in the order written; nil: any, or the type has none.
    let cases: [Int]?
    /// The key that chooses the cases, `from` or `in`; nil where none does.
    let key: String?
    /// What all of the cases have.
    let common: RecordType

    private let narrowed: [Int: RecordType]

    /// - Precondition: `cases` is nil, or has a case.
    init(of type: RecordType, cases: [Int]?, key: String?) {
        precondition(cases?.isEmpty != true, "a state is in some case")
        (self.type, self.cases, self.key) = (type, cases, key)
        let types = (cases ?? []).map(type.narrowed)
        narrowed = Dictionary(zip(cases ?? [], types), uniquingKeysWith: { first, _ in first })
        common = cases == nil ? type : RecordType.common(of: types)
    }

    /// The state as it is in one of the cases; nil: in any of them.
    func type(in stateCase: Int?) -> RecordType { stateCase.flatMap { narrowed[$0] } ?? common }

    /// What to say about a field that some case has, but not each that the state may be in; nil for any other name.
    func fault(ofField name: String) -> (message: String, help: [String])? {
        let owners = type.cases.filter { $0.field(name) != nil }.map(\.name)
        guard !owners.isEmpty, common.field(name) == nil else { return nil }
        let whose = "`\(name)` is a field of \(owners.count == 1 ? "case" : "the cases") \(owners.quoted)"
        guard let cases else {
            return (
                "\(whose), and the state may be in any case here",
                [
                    key.map { "choose the case: \(choice(owners, $0))" }
                        ?? "only `case` and shared fields can be used here"
                ]
            )
        }
        let names = cases.map { type.cases[$0].name }
        let having = names.filter(owners.contains)
        if having.count == names.count {
            return (
                "`\(name)` is of another type in each of \(names.quoted)", ["write an entry for each of them"]
            )
        }
        return (
            "\(whose), and the state may be in \(names.filter { !owners.contains($0) }.quoted) here",
            having.isEmpty ? [] : ["write an entry of its own with \(choice(having, key ?? "from"))"]
        )
    }

    private func choice(_ names: [String], _ key: String) -> String {
        let texts = names.map { "\"\($0)\"" }
        return "`\(key) = \(texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]")`"
    }
}
