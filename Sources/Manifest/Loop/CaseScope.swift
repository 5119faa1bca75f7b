import Diagnostics
import Records

/// The possible cases of the state for one entry of the manifest, and the fields of the state in those cases.
struct CaseScope {
    /// The state's type.
    let type: RecordType
    /// The cases, as indices into those of the type, in the order written; nil for any case, or for a type
    /// without cases.
    let cases: [Int]?
    /// The key that chooses the cases, `from` or `in`; nil if no key does.
    let key: String?
    /// The fields that all of the cases have.
    let common: RecordType

    private let narrowed: [Int: RecordType]

    /// The fields of `type` in some of its cases.
    ///
    /// - Precondition: `cases` is nil, or has a case.
    init(of type: RecordType, cases: [Int]?, key: String?) {
        precondition(cases?.isEmpty != true, "a state is in some case")
        (self.type, self.cases, self.key) = (type, cases, key)
        let types = (cases ?? []).map(type.narrowed)
        narrowed = Dictionary(zip(cases ?? [], types), uniquingKeysWith: { first, _ in first })
        common = cases == nil ? type : RecordType.common(of: types)
    }

    /// The type of the state in one of the cases; `nil` gives the fields that all of them have.
    func type(in stateCase: Int?) -> RecordType { stateCase.flatMap { narrowed[$0] } ?? common }

    /// The error about a field that some case has, but not every possible case of the state; nil for any
    /// other name.
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
                "`\(name)` has different types in \(names.quoted)", ["write an entry for each of these cases"]
            )
        }
        return (
            "\(whose), and the state may be in \(names.filter { !owners.contains($0) }.quoted) here",
            having.isEmpty ? [] : ["write a separate entry with \(choice(having, key ?? "from"))"]
        )
    }

    private func choice(_ names: [String], _ key: String) -> String {
        let texts = names.map { "\"\($0)\"" }
        return "`\(key) = \(texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]")`"
    }
}
