internal import SwitchyardCore

/// What an answer has of each row of an entity, as a tree: what a query shows and includes, by the references it lies behind.
struct AnswerShape {
    indirect enum Content {
        case attribute
        /// The row that a reference points to.
        case row(AnswerShape)
        /// Rows of a to-many relationship, or a figure over them.
        case related(Inclusion, AnswerShape)
    }

    struct Part {
        /// The name in the answer.
        let title: String
        /// The attribute of the row that it begins with.
        let local: String
        var content: Content
    }

    let entity: Entity
    private(set) var parts: [Part] = []

    private init(entity: Entity) { self.entity = entity }

    /// The shape of a query's rows.
    ///
    /// - Throws: `unsupported` if the query was read for another schema, `invalidArgument` for two parts of one name.
    init(_ query: StoredQuery, in schema: Schema) throws {
        entity = try schema.require(query.entity)
        try fill(by: query, schema)
    }

    var columns: [AnswerColumn] {
        parts.map { part in
            let content: AnswerColumn.Content =
                switch part.content {
                case .attribute: .value
                case .row(let shape): .row(shape.columns)
                case .related(let inclusion, let shape):
                    switch inclusion.kind {
                    case .row, .first: .row(shape.columns)
                    case .rows: .rows(shape.columns)
                    case .figure: .value
                    }
                }
            return AnswerColumn(name: part.title, content: content)
        }
    }

    private mutating func fill(by query: StoredQuery, _ schema: Schema) throws {
        let own = entity.attributes.map { AttributePath(references: [], attribute: $0.name) }
        for path in query.shown ?? own {
            try change(at: path.references[...], schema) { try $0.add(path.attribute) }
        }
        for inclusion in query.included {
            if inclusion.kind == .row {
                try change(at: inclusion.references + [inclusion.relationship], schema) {
                    try $0.fill(by: inclusion.query, schema)
                }
            } else {
                let shape = try AnswerShape(inclusion.query, in: schema)
                try change(at: inclusion.references[...], schema) { try $0.add(inclusion, shape) }
            }
        }
    }

    /// Changes the shape of the row that references lead to, which takes the place of the reference's own value.
    private mutating func change(
        at references: some BidirectionalCollection<String>, _ schema: Schema,
        _ body: (inout AnswerShape) throws -> Void
    ) throws {
        guard let reference = references.first else { return try body(&self) }
        guard let target = entity.attribute(reference)?.reference else { throw unknown(reference) }
        var row = AnswerShape(entity: try schema.require(target))
        let index = parts.firstIndex { $0.title == reference }
        switch index.map({ parts[$0].content }) {
        case .row(let present): row = present
        case .attribute: try row.add("id")
        case .related, nil: break
        }
        try row.change(at: references.dropFirst(), schema, body)
        guard let index else {
            return parts.append(Part(title: reference, local: reference, content: .row(row)))
        }
        parts[index].content = .row(row)
    }

    private mutating func add(_ attribute: String) throws {
        guard entity.attribute(attribute) != nil else { throw unknown(attribute) }
        guard let index = parts.firstIndex(where: { $0.title == attribute }) else {
            return parts.append(Part(title: attribute, local: attribute, content: .attribute))
        }
        guard case .row(var row) = parts[index].content else { return }
        try row.add("id")
        parts[index].content = .row(row)
    }

    private mutating func add(_ inclusion: Inclusion, _ shape: AnswerShape) throws {
        guard let association = entity.association(inclusion.relationship) else {
            throw unknown(inclusion.relationship)
        }
        guard !parts.contains(where: { $0.title == inclusion.title }) else {
            throw StoreError(
                .invalidArgument,
                "Two items are called `\(inclusion.title)`. Give one another name, by `as NAME`.",
                entity: entity.name)
        }
        parts.append(
            Part(title: inclusion.title, local: association.local, content: .related(inclusion, shape)))
    }

    private func unknown(_ name: String) -> StoreError {
        StoreError(.unsupported, "\(entity.name) has no `\(name)`.", entity: entity.name, attribute: name)
    }
}
