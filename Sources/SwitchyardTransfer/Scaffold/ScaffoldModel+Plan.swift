internal import SwitchyardCore

extension ScaffoldModel {
    /// The entity of the model.
    var entity: Entity {
        Entity(
            name,
            attributes: [SwitchyardCore.Attribute("id", type: .uuid)]
                + attributes.map { attribute in
                    switch attribute.kind {
                    case .value(let choice):
                        SwitchyardCore.Attribute(
                            attribute.name, type: choice.type, isOptional: attribute.isOptional,
                            defaultValue: attribute.defaultValue)
                    case .reference(let target):
                        SwitchyardCore.Attribute(
                            attribute.name, type: .uuid, isOptional: attribute.isOptional, reference: target)
                    }
                },
            relationships: relationships, uniqueConstraints: unique.map { UniqueConstraint($0) })
    }

    /// The declaration of the table in a plan.
    var adoptedTable: AdoptedTable {
        var rules = attributes.map { attribute -> ColumnRule in
            switch attribute.kind {
            case .value(let choice):
                .value(attribute.columns[0], attribute: attribute.name, choice.isConverted ? .bytes : .asIs)
            case .reference: .reference(attribute.columns, attribute: attribute.name, attribute.missing)
            }
        }
        if !idColumns.isEmpty { rules.append(.id(idColumns, unusable, shared)) }
        return AdoptedTable(name: table.name, entity: name, rules: rules.map { .success($0) })
    }

    /// Changes models so that faults of a preview disappear.
    ///
    /// - Returns: Whether anything was changed.
    static func correct(_ models: inout [ScaffoldModel], by faults: [AdoptionFault]) -> Bool {
        var wasCorrected = false
        for fault in faults {
            guard let index = models.firstIndex(where: { $0.table.name == fault.table }) else { continue }
            let position = models[index].attributes.firstIndex { $0.columns.first == fault.column }
            switch fault.kind {
            case .danglingReference:
                guard let position else { continue }
                models[index].attributes[position].isOptional = true
                models[index].attributes[position].missing = .orNil
            case .needsValue:
                guard let position else { continue }
                models[index].attributes[position].isOptional = true
            case .notUnique(let attributes):
                models[index].unique.removeAll { $0 == attributes }
            case .unusableID: models[index].unusable = .fromKey
            case .sharedID: models[index].shared = .kept
            case nil: continue
            }
            wasCorrected = true
        }
        // A rule that makes references nil, of a reference that is optional only now.
        return wasCorrected
    }
}
