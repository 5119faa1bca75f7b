extension ManifestTable {
    static let test = ManifestTable(
        "tests.*",
        [
            ManifestField("name", .string, "What the test shows.", isRequired: true),
            ManifestField("loop", .string, "The loop whose reducer is tested.", default: "the only one"),
            ManifestField(
                "given", .table, "Fields of the state before the first event.", default: "the initial state"),
            ManifestField(
                "events", .tables, "The events, in order: `{ NAME = { FIELD = … } }`.", default: "[]"),
            ManifestField(
                "expect", .table, "Fields of the state after the last event; other fields are not compared.",
                isRequired: true),
            ManifestField(
                "effects", .table,
                "The feedbacks that run, by name, each with a test double for its effect.", default: "{}"),
        ])

    static let testEffects = ManifestTable(
        "tests.*.effects", [],
        named: ManifestField(
            "", .expression,
            "The test double: an expression for the result, a table, or, for an effect that emits, a list."
        ))

    static let testAnswer = ManifestTable(
        "tests.*.effects.*",
        [
            ManifestField("result", .expression, "The function's result.", default: "zero or empty"),
            ManifestField("errno", .expression, "The value of `errno` afterwards.", default: "0"),
            ManifestField("out", .table, "The values of out-parameters, by name.", default: "zero or empty"),
        ], markers: ["result", "errno", "out"])

    static let testGiven = ManifestTable(
        "tests.*.given", [], named: ManifestField("", .value, "The field's value."))

    static let testExpectation = ManifestTable(
        "tests.*.expect", [],
        named: ManifestField("", .value, "The field's value; of a record, only the fields to compare."))

    static let testEvent = ManifestTable(
        "tests.*.events.*", [], named: ManifestField("", .table, "The event's fields."),
        namePattern: "(?:after:)?\(NameRule.pattern)")

    static let testPayload = ManifestTable(
        "tests.*.events.*.*", [], named: ManifestField("", .value, "The field's value."))
}
