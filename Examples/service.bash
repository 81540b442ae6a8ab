# What Examples/household and Examples/disaster share: a service, and devices that are commands with a store each.

server="$SWITCHYARD_TEST_POSTGRES_URL&schema=household"
household=$(cat /proc/sys/kernel/random/uuid)
# Where both are built already, in one directory, nothing is built: the package and the service's would undo each other's work.
service=(--package-path Plugins/MirrorService)
if [[ -z ${SWITCHYARD_BUILT:-} ]]; then
    swift build --product babymonitor >&2
    swift build "${service[@]}" --product switchyard-mirror >&2
else
    service+=(--scratch-path .build)
fi
babymonitor=$(swift build --show-bin-path)/babymonitor
mirror=$(swift build "${service[@]}" --show-bin-path)/switchyard-mirror
directory=$(mktemp -d)
serving=
trap 'if [[ -n $serving ]]; then kill "$serving"; fi; rm -rf "$directory"' EXIT

# Settings of other stores in the caller's environment do not apply here.
for variable in ${!SWITCHYARD_@}; do unset "$variable"; done
export HOME="$directory"
cd "$directory"

# Runs a command on one of the devices.
on() {
    local device=$1
    shift
    SWITCHYARD_STORE_URL="sqlite:$directory/$device.sqlite" SWITCHYARD_STORE_MIRROR_DEVICE="$device's device" \
        "$babymonitor" "$@"
}

# Runs a command of who runs the service.
operator() { SWITCHYARD_STORE_URL="$server" "$mirror" "$@"; }

# Begins to serve, at the same port as before.
serve() {
    rm -f "$directory/service.log"
    SWITCHYARD_STORE_URL="$server" "$mirror" serve --port "${port:-0}" >"$directory/service.log" 2>&1 &
    serving=$!
    until service=$(sed -n 's/^Listening at //p' "$directory/service.log" 2>/dev/null) && [[ -n $service ]]; do
        kill -0 "$serving" || { cat "$directory/service.log"; exit 1; }
        sleep 0.1
    done
    port=${service##*:}
}

stop_serving() {
    kill "$serving"
    wait "$serving" || true
    serving=
}

# Shows the command and what it says, with short names for places and without the ids and times that are drawn anew each time.
brief() {
    sed -E "s|$directory/||g; s|postgres://[^ ]*schema=household|postgres://…/household|g; s|switchyard://join/[^ ]*|switchyard://join/…|g; s|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|…|g; s|:$port|:…|g; s|seen 20[0-9TZ:-]*|seen …|g; s|until 20[0-9TZ:-]*|until …|g; s|exchange  20[0-9TZ:-]*|exchange  …|"
}
run() {
    printf '\n%s$ babymonitor %s\n' "$1" "${*:2}" | brief
    on "$@" 2>&1 | brief
}
# A feed on one of the devices.
feed() {
    on "$1" intent run StartFeeding --baby Zoe >/dev/null
    run "$1" intent run FinishFeeding --baby Zoe --amount "$2 ml"
}
say() { printf '\n— %s\n' "$*"; }
