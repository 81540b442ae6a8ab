internal import Foundation

/// The addresses of a server, each with a connection attempt of its own.
///
/// libpq tries the next host or address when one refuses, but its non-blocking `PQconnectPoll` has no timeout, and a
/// program cannot make it skip an address that does not answer. So each address gets a connection attempt of its own,
/// in libpq's order and by the rules of its manual: "Specifying Multiple Hosts", `target_session_attrs` and
/// `load_balance_hosts`.
extension ConnectionParameters {
    /// The parameters for each address, preferred ones first.
    ///
    /// Blocks while the system resolves names. A name that cannot be resolved is kept, so that libpq reports the error;
    /// so is a list that libpq refuses. The servers of a service file, which only libpq reads, share one timeout.
    var addresses: [ConnectionParameters] {
        var hosts = self.hosts
        let isBalanced = self["load_balance_hosts"] == "random"
        if isBalanced { hosts.shuffle() }
        let addresses = hosts.flatMap { host in isBalanced ? host.byAddress.shuffled() : host.byAddress }
        guard self["target_session_attrs"] == "prefer-standby" else { return addresses }
        return ["standby", "any"].flatMap { wanted in
            addresses.map { address in
                var address = address
                address["target_session_attrs"] = wanted
                return address
            }
        }
    }

    /// The parameters for each host.
    private var hosts: [ConnectionParameters] {
        let names = list("host")
        let numbers = list("hostaddr")
        let ports = list("port")
        let count = max(names.count, numbers.count)
        guard count > 0, [0, count].contains(names.count), [0, count].contains(numbers.count),
            [0, 1, count].contains(ports.count)
        else { return [self] }
        return (0..<count).map { index in
            var host = self
            host["host"] = names.isEmpty ? nil : names[index]
            host["hostaddr"] = numbers.isEmpty ? nil : numbers[index]
            if ports.count > 1 { host["port"] = ports[index] }
            return host
        }
    }

    private func list(_ keyword: String) -> [String] {
        self[keyword]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    /// The parameters for each address of this single host.
    private var byAddress: [ConnectionParameters] {
        guard let name = self["host"], self["hostaddr"] == nil, !name.hasPrefix("/"), !name.hasPrefix("@")
        else { return [self] }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [self] }
        defer { freeaddrinfo(list) }
        var addresses: [ConnectionParameters] = []
        var next = list
        while let info = next?.pointee {
            next = info.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            var address = self
            address["hostaddr"] = String(
                decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            addresses.append(address)
        }
        return addresses.isEmpty ? [self] : addresses
    }
}
