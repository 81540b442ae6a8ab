public import Foundation
public import SwitchyardCore

/// What an app gives its intents to work with: the store, the time, the person's region, and whom to ask.
public struct IntentContext: Sendable {
    /// The store that holds the app's rows.
    public var store: any Store
    /// Who answers questions; nobody, unless given.
    public var interaction: any IntentInteraction
    /// The present time, as `now` reads it.
    public var clock: @Sendable () -> Date
    private var chosenLocale: Locale?
    private var chosenTimeZone: TimeZone?
    private var chosenMeasurementSystem: @Sendable () -> Locale.MeasurementSystem?
    private var dependencies: [ObjectIdentifier: any Sendable] = [:]

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - store: The store that holds the app's rows.
    ///   - interaction: Who answers questions.
    ///   - clock: The present time.
    ///   - locale: The person's locale; the system's, unless given.
    ///   - timeZone: The zone of times that are written without one; the system's, unless given.
    ///   - measurementSystem: The units of amounts that are written without one; the locale's, unless given.
    ///     Asked for when an amount needs it.
    public init(
        store: any Store, interaction: any IntentInteraction = NoInteraction(),
        clock: @escaping @Sendable () -> Date = { Date() }, locale: Locale? = nil, timeZone: TimeZone? = nil,
        measurementSystem: @autoclosure @escaping @Sendable () -> Locale.MeasurementSystem? = nil
    ) {
        self.store = store
        self.interaction = interaction
        self.clock = clock
        chosenLocale = locale
        chosenTimeZone = timeZone
        chosenMeasurementSystem = measurementSystem
    }

    /// The present time.
    public var now: Date { clock() }

    // The system's locale and time zone take milliseconds to read, which a command that needs neither should
    // not wait for.

    /// The person's locale.
    public var locale: Locale { chosenLocale ?? .current }

    /// The person's time zone.
    public var timeZone: TimeZone { chosenTimeZone ?? .current }

    /// The person's calendar, in their time zone.
    public var calendar: Calendar {
        var calendar = chosenLocale?.calendar ?? .current
        calendar.timeZone = timeZone
        return calendar
    }

    /// The system of units that the person is used to.
    public var measurementSystem: Locale.MeasurementSystem {
        chosenMeasurementSystem() ?? locale.measurementSystem
    }

    /// The unit of a volume that is written without one: fluid ounces in the US system, else millilitres.
    public var volumeUnit: UnitVolume { measurementSystem == .us ? .fluidOunces : .milliliters }
}

extension IntentContext {
    /// Puts something into the context that intents depend on, to be found by its type.
    public mutating func add<Dependency: Sendable>(_ dependency: Dependency) {
        dependencies[ObjectIdentifier(Dependency.self)] = dependency
    }

    /// Something that the app put into the context.
    ///
    /// - Throws: `IntentError` `missingDependency`.
    public func dependency<Dependency: Sendable>(_: Dependency.Type) throws -> Dependency {
        guard let dependency = dependencies[ObjectIdentifier(Dependency.self)] as? Dependency else {
            throw IntentError(
                .missingDependency,
                "The context holds no \(Dependency.self); add one before running the intent.")
        }
        return dependency
    }
}
