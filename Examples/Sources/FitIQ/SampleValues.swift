internal import Foundation
internal import Switchyard
internal import SwitchyardConformance
internal import SwitchyardCore

/// The values of generated rows that cannot be drawn without knowing the app.
enum SampleValues {
    /// The amounts of food that people write.
    private static let quantities = ["250 g", "1.5 cups", "2", "a pinch", "1/2 cup", "", "3large eggs"]

    /// Lists of words are JSON, amounts of food are text in the first versions, and everything else is drawn.
    static func value(_ entity: Entity, _ attribute: Attribute, _ number: Int) -> StoredValue? {
        if attribute.type == .json {
            if attribute.isOptional, number.isMultiple(of: 3) { return .null }
            return .json(number.isMultiple(of: 4) ? "[]" : #"["calm","größer"]"#)
        }
        if entity.name == "SDMealLogItem", attribute.name == "quantity", attribute.type == .text {
            return .text(quantities[number % quantities.count])
        }
        return nil
    }
}
