extension IntentRun {
    /// How many times a question is asked before an invalid answer becomes an error.
    private static var mostAttempts: Int { 3 }
    /// How many suggestions a question shows.
    private static var mostSuggestions: Int { 20 }

    /// Resolves an argument to a value, asking which one was meant if it is ambiguous.
    func resolve<Item: IntentValue>(
        _ argument: IntentArgument, as type: Item.Type, for parameter: ParameterName
    ) async throws -> Item {
        do {
            switch try await Item.resolve(argument, in: context) {
            case .value(let item): return item
            case .ambiguous(let items):
                return try await requestDisambiguation(among: items, for: parameter, dialog: nil)
            }
        } catch let error as IntentError {
            throw error.about(intent, parameter: parameter.name, title: parameter.title)
        }
    }

    func requestValue<Item: IntentValue>(
        _: Item.Type, for parameter: ParameterName, dialog: IntentDialog
    ) async throws -> Item {
        let suggestions = Array(try await Item.suggestedValues(in: context).prefix(Self.mostSuggestions))
        let question = IntentQuestion(
            intent: intent, parameter: parameter.name, title: parameter.title, dialog: dialog,
            type: Item.valueType,
            choices: Item.choices(among: suggestions))
        return try await ask(question, ifUnanswered: missing(question)) { question in
            try await context.interaction.requestValue(question)
        } reading: { answer in
            switch answer {
            case .choice(let index): try choice(index, of: suggestions)
            case .text(let text):
                if text.trimmed.isEmpty {
                    throw IntentError(.invalidValue, "An answer is needed.")
                } else {
                    try await resolve(.text(text), as: Item.self, for: parameter)
                }
            }
        }
    }

    func requestDisambiguation<Item: IntentValue>(
        among items: [Item], for parameter: ParameterName, dialog: IntentDialog?
    ) async throws -> Item {
        let type = Item.valueType
        guard let first = items.first else {
            throw IntentError(
                .notFound, "There is no \(type.name) to choose.", intent: intent, parameter: parameter.name)
        }
        if items.count == 1 { return first }
        let question = IntentQuestion(
            intent: intent, parameter: parameter.name, title: parameter.title,
            dialog: dialog ?? "Which \(type.name) did you mean?", type: type,
            choices: Item.choices(among: items))
        return try await ask(question, ifUnanswered: undecided(question)) { question in
            try await context.interaction.requestDisambiguation(question)
        } reading: { answer in
            switch answer {
            case .choice(let index): try choice(index, of: items)
            case .text(let text): try choice(named: text, among: question.choices, of: items)
            }
        }
    }

    /// Asks until an answer is valid, a limited number of times.
    func ask<Item>(
        _ question: IntentQuestion, ifUnanswered unanswered: IntentError,
        asking: (IntentQuestion) async throws -> IntentAnswer?, reading: (IntentAnswer) async throws -> Item
    ) async throws -> Item {
        var question = question
        var failure = unanswered
        for _ in 0..<Self.mostAttempts {
            guard let answer = try await asking(question) else { break }
            do {
                return try await reading(answer)
            } catch let error as IntentError where error.canBeAnswered {
                failure = error.about(intent, parameter: question.parameter, title: question.title)
                question.problem = error.message
            }
        }
        throw failure
    }

    private func choice<Item>(_ index: Int, of items: [Item]) throws -> Item {
        guard items.indices.contains(index) else {
            throw IntentError(.invalidValue, "There is no choice \(index + 1).")
        }
        return items[index]
    }

    private func choice<Item>(
        named text: String, among choices: [DisplayRepresentation], of items: [Item]
    ) throws -> Item {
        let found = NameMatch.best(text, among: Array(choices.indices), allowsPrefix: true) { index in
            [choices[index].title, choices[index].subtitle].compactMap(\.self)
        }
        guard found.count == 1 else {
            throw IntentError(
                .needsDisambiguation,
                found.isEmpty ? "\(text.quoted) is not one of the choices." : "\(text.quoted) is ambiguous.",
                choices: choices.map(\.description))
        }
        return items[found[0]]
    }

    private func missing(_ question: IntentQuestion) -> IntentError {
        // The title followed by a question mark would add nothing.
        let asks = question.dialog.text == "\(question.title)?" ? "." : ": \(question.dialog)"
        return IntentError(
            .missingParameter,
            "\(intent) needs a value for \(question.title)\(asks) "
                + "Give --\(question.parameter) with \(question.type.description).",
            intent: intent, parameter: question.parameter, choices: question.choices.map(\.description))
    }

    private func undecided(_ question: IntentQuestion) -> IntentError {
        IntentError(
            .needsDisambiguation,
            "\(question.dialog) Several fit; give --\(question.parameter) with one of them, or with its id.",
            intent: intent, parameter: question.parameter, choices: question.choices.map(\.description))
    }
}
