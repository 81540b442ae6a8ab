import Foundation
import KeepTrack

/// The files of a user with 247 entries, 12 types and 5 goals, as the releases before the store wrote them.
struct SampleFiles {
    private struct Entry: Encodable {
        let id: UUID, date: Date, units: String, amount: Double, name: String, goalMet: Bool
    }

    private struct IntakeType: Encodable {
        let id: UUID, name: String, unit: String
        // Written as integers, which these files may hold.
        let amount: Int
        let descrip: String, frequency: Frequency
    }

    private struct Goal: Encodable {
        let id: UUID, name: String, description: String, dates: [Date], isActive: Bool, isCompleted: Bool
        let dosage: Double, units: String, frequency: Frequency
    }

    private static let names = [
        "Water", "Coffee", "Tea", "Aspirin", "Vitamin C", "Vitamin D", "Magnesium", "Zinc", "Iron", "Omega-3",
        "Melatonin", "Æther \"Öl\"",
    ]

    /// Writes the files.
    static func write(_ files: LegacyFiles) throws {
        let start = Date(timeIntervalSinceReferenceDate: 700_000_000)
        let frequencies = Frequency.allCases
        try write(
            (0..<247).reversed().map { number in
                Entry(
                    id: UUID(), date: start + Double(number) * 9_000.123, units: "mg",
                    amount: Double(number % 9) + 0.5, name: names[number % 12],
                    goalMet: number % 3 == 0)
            }, to: files.entries)
        try write(
            names.enumerated().map { number, name in
                IntakeType(
                    id: UUID(), name: name, unit: "mg", amount: 10 * number, descrip: "No. \(number)",
                    frequency: frequencies[number])
            }, to: files.intakeTypes)
        try write(
            names.prefix(5).map { name in
                Goal(
                    id: UUID(), name: name, description: "", dates: [start, start + 43_200],
                    isActive: true, isCompleted: false, dosage: 1.5, units: "mg", frequency: .twiceADay)
            }, to: files.goals)
    }

    private static func write(_ elements: some Encodable, to path: String) throws {
        // Foundation's encoder writes times as seconds since 2001-01-01, as the app's did.
        try JSONEncoder().encode(elements).write(to: URL(filePath: path))
    }
}
