import Foundation
import Switchyard
import SwitchyardConformance

extension MirrorScenarios {
    /// Files that are copied while there are writes that nobody has sent: both go on as devices of their own, and a copy is
    /// put back in the place of the original.
    static let copies = Scenario(
        name: "mirror-copies",
        summary: "mirrored files are copied and restored from older copies while processes are killed",
        usualCount: 24
    ) { trial in
        try await onDurableServer(trial) { url, generator in
            while trial.effort.goesOn(after: trial.report.count(of: "kills")) {
                var nature = Household.Nature.drawn(rows: trial.rows, using: &generator)
                nature.files = ["device-0.sqlite", "device-1.sqlite"]
                try await withHousehold(nature, at: url, trial, &generator) { household, generator in
                    func live() async throws {
                        let before = trial.report.count(of: "kills")
                        try await household.live(.killed, seed: generator.next()) {
                            trial.report.count(of: "kills") < before + 6
                        }
                    }
                    try await live()
                    try await household.settle()
                    try await live()
                    for copy in ["backup", "clone.sqlite"] { try household.copy("device-0.sqlite", to: copy) }
                    household.add("clone.sqlite")
                    try await live()
                    if Bool.random(using: &generator) { try await household.settle() }
                    try await live()
                    try household.restore("device-0.sqlite", from: "backup")
                    try await live()
                    try await household.settle()
                    trial.report.count("files restored")
                }
            }
        }
        trial.report.require("writes done")
    }

    /// A disk that is full until it is enlarged, beside a device with room.
    static let full = Scenario(
        name: "mirror-full", summary: "the file systems of mirrored files are full until they are enlarged",
        usualCount: 2
    ) { trial in
        try await onDurableServer(trial) { url, generator in
            var rounds = 0
            while trial.effort.goesOn(after: rounds) {
                var nature = Household.Nature.drawn(rows: 400, using: &generator)
                nature.files = ["disk/device-0.sqlite", "disk/device-1.sqlite", "device-2.sqlite"]
                try await withHousehold(nature, at: url, trial, &generator) { household, generator in
                    let disk = try await MemoryDisk.mount(at: household.scratch.file("disk"), kibibytes: 600)
                    let result: Result<Void, any Error>
                    do {
                        for size in [600, 1_200, 1_800, 80_000] {
                            try await disk.resize(kibibytes: size)
                            let isOver = Latch()
                            try await household.live(
                                .whole, seed: generator.next(), while: { !isOver.isRaised }
                            ) {
                                try await Task.sleep(for: .milliseconds(1_500))
                                isOver.raise()
                            }
                        }
                        result = .success(try await household.settle())
                    } catch { result = .failure(error) }
                    await disk.unmount()
                    try result.get()
                }
                rounds += 1
            }
        }
        trial.report.require("errors full")
    }

    /// Devices whose clocks are a year behind and ahead.
    static let clocks = Scenario(
        name: "mirror-clocks",
        summary: "devices' clocks are a year behind and ahead, and processes are killed",
        usualCount: 20
    ) { trial in
        let faketime = "/usr/bin/faketime"
        guard FileManager.default.isExecutableFile(atPath: faketime) else {
            throw MissingPart(description: "it needs the command faketime (Debian's package of that name).")
        }
        try await onDurableServer(trial) { url, generator in
            while trial.effort.goesOn(after: trial.report.count(of: "kills")) {
                var nature = Household.Nature.drawn(rows: trial.rows, using: &generator)
                nature.files = ["ahead.sqlite", "behind.sqlite", "right.sqlite"]
                nature.wrappers = [
                    "ahead.sqlite": [faketime, "-f", "+365d"], "behind.sqlite": [faketime, "-f", "-365d"],
                ]
                try await withHousehold(nature, at: url, trial, &generator) { household, generator in
                    for _ in 0..<2 {
                        let before = trial.report.count(of: "kills")
                        try await household.live(.killed, seed: generator.next()) {
                            trial.report.count(of: "kills") < before + 10
                        }
                        try await household.settle()
                    }
                }
            }
        }
        trial.report.require("writes done")
    }
}
