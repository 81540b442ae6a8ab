internal import Foundation
internal import Switchyard

/// An amount of food that was text, such as `1.5 cups`.
struct FoodQuantity: Equatable {
    let value: Double
    let unit: String

    /// Splits the number from the unit.
    ///
    /// A text without a number, such as `a pinch`, or with several, such as `1/2 cup`,
    /// is kept whole as the unit of nothing.
    init(_ text: String) {
        let parts = try? #/\s*([0-9]+(?:\.[0-9]+)?)\s*([^0-9.,\/\s].*)?/#.wholeMatch(in: text)
        guard let parts, let number = Double(parts.1) else {
            (value, unit) = (0, text)
            return
        }
        (value, unit) = (number, parts.2.map(String.init) ?? "")
    }
}

extension SchemaV8.SDMealLogItem {
    /// The item with an amount that can be calculated with.
    init(_ old: SchemaV7.SDMealLogItem) {
        let quantity = FoodQuantity(old.quantity)
        self.init(
            id: .init(old.id.uuid), name: old.name, quantity: quantity.value, unit: quantity.unit,
            calories: old.calories, protein: old.protein, carbs: old.carbs, fat: old.fat,
            foodType: old.foodType, fiberG: old.fiberG, sugarG: old.sugarG, confidence: old.confidence,
            parsingNotes: old.parsingNotes, orderIndex: old.orderIndex, createdAt: old.createdAt,
            backendID: old.backendID, mealLog: old.mealLog.map { .init($0.uuid) })
    }
}

extension SchemaV10.SDMoodEntry {
    /// The mood as one value, from 1 to 10; its labels and associations become notes.
    init(_ old: SchemaV9.SDMoodEntry) {
        let words = (old.labels + old.associations).joined(separator: ", ")
        let notes = [old.notes, words.isEmpty ? nil : words].compactMap(\.self)
        self.init(
            id: .init(old.id.uuid), value: Self.value(valence: old.valence), date: old.date,
            notes: notes.isEmpty ? nil : notes.joined(separator: "\n"), createdAt: old.createdAt,
            updatedAt: old.updatedAt, backendID: old.backendID, syncStatus: old.syncStatus,
            userProfile: old.userProfile.map { .init($0.uuid) })
    }

    /// A valence lies between -1 and 1; one that is missing is the middle.
    static func value(valence: Double?) -> Int {
        guard let valence else { return 5 }
        return Int((5.5 + 4.5 * min(max(valence, -1), 1)).rounded())
    }
}

extension SchemaV10.SDRecognizedFoodItem {
    /// The item, created with its photo; one without a photo in 1970.
    init(_ old: SchemaV9.SDRecognizedFoodItem, createdAt: Date?) {
        self.init(
            id: .init(old.id.uuid), foodName: old.name, quantity: old.quantity, unit: old.unit,
            calories: Double(old.calories), proteinG: old.proteinG, carbsG: old.carbsG, fatG: old.fatG,
            fiberG: old.fiberG, sugarG: old.sugarG, confidence: old.confidenceScore,
            orderIndex: old.orderIndex, createdAt: createdAt ?? Date(timeIntervalSince1970: 0),
            photoRecognition: old.photoRecognition.map { .init($0.uuid) })
    }
}
