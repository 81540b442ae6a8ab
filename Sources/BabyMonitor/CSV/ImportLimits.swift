/// What no sensible file goes beyond.
enum ImportLimits {
    /// More babies than this in one file are a column that was taken for names.
    static let mostNewBabies = 1000

    /// The refusal of a file that goes beyond.
    static var tooManyBabies: BabyMonitorError {
        BabyMonitorError(
            .invalidArgument,
            "The file names more than \(mostNewBabies) babies that are not there. Is its first column the name? "
                + "Nothing was imported.")
    }
}
