public import Foundation
public import SwitchyardCore

/// The environment of an app's intents: the store, the time, the person's region, and whom to ask.
public struct IntentContext: Sendable {
    /// The store that holds the app's rows.
    public var store: any Store
    /// Answers questions; by default nothing does.
    public var interaction: any IntentInteraction
    /// The clock behind `now`.
    public var clock: @Sendable () -> Date
    private var chosenLocale: Locale?
    private var chosenTimeZone: TimeZone?
    private var chosenMeasurementSystem: @Sendable () -> Locale.MeasurementSystem?
    private var dependencies: [ObjectIdentifier: any Sendable] = [:]

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - store: The store that holds the app's rows.
    ///   - interaction: Answers questions.
    ///   - clock: Returns the current time.
    ///   - locale: The person's locale; by default the system's.
    ///   - timeZone: The zone of times that are written without one; by default the system's.
    ///   - measurementSystem: The units of amounts that are written without one; by default the locale's.
    ///     It is evaluated only when an amount needs it.
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

    /// The current time.
    public var now: Date { clock() }

    // Reading the system's locale and time zone takes milliseconds, so a command that needs neither should not
    // wait for them.

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

    /// The person's system of units.
    public var measurementSystem: Locale.MeasurementSystem {
        chosenMeasurementSystem() ?? locale.measurementSystem
    }

    /// The unit of a volume written without one: fluid ounces in the US system, otherwise millilitres.
    public var volumeUnit: UnitVolume { measurementSystem == .us ? .fluidOunces : .milliliters }
}

extension IntentContext {
    /// Adds a dependency of the app's intents, to be looked up by its type.
    public mutating func add<Dependency: Sendable>(_ dependency: Dependency) {
        dependencies[ObjectIdentifier(Dependency.self)] = dependency
    }

    /// A dependency that the app added to the context.
    ///
    /// - Throws: `IntentError` `missingDependency` if it was not added.
    public func dependency<Dependency: Sendable>(_: Dependency.Type) throws -> Dependency {
        guard let dependency = dependencies[ObjectIdentifier(Dependency.self)] as? Dependency else {
            throw IntentError(
                .missingDependency,
                "The context holds no \(Dependency.self); add one before running the intent.")
        }
        return dependency
    }
}
