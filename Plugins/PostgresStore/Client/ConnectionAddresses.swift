internal import Foundation

/// The addresses at which a server may be found, each to be tried by itself.
///
/// libpq goes from one host or address to the next when one refuses, but its non-blocking `PQconnectPoll`
/// knows no timeout, and a program has no way to make it leave an address that does not answer. So each
/// address gets a connection attempt of its own, in libpq's order and by its rules: those of its manual,
/// "Specifying Multiple Hosts", `target_session_attrs` and `load_balance_hosts`.
extension ConnectionParameters {
    /// The parameters of one address each, first choice first.
    ///
    /// Blocks for as long as the system's name resolution takes. A name that cannot be resolved stays a name,
    /// so that libpq says what is wrong with it. A list that libpq would refuse is left for it to refuse, and
    /// so are the servers of a service file, to which libpq alone has access: all of them share one timeout.
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

    /// The parameters of one host each.
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

    /// The parameters of each address of this one host.
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
