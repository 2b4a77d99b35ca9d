#!/bin/sh
# Builds deploy/Dockerfile and runs the image in a container without Docker: docs/deployment.md, "Image". As root on Debian:
#   apt-get install --no-install-recommends mmdebstrap buildah runc curl && deploy/prove-image.sh
# The image to build in is a fresh Debian with the Node and npm of this machine, in place of Docker Hub's.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
port=${PORT:-4790}
container=switchboard-$$
store() { buildah --storage-driver vfs --root "$work/store" --runroot "$work/run" "$@"; }
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
finish() {
  runc --root "$work/runc" delete --force "$container" 2>/dev/null || true
  store rm --all >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT

echo 'Building'
mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$work/base.tar"
base=$(store from scratch)
store add --quiet "$base" "$work/base.tar" / >/dev/null
store copy --quiet "$base" "$(command -v node)" /usr/bin/node >/dev/null
store copy --quiet "$base" "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" /usr/lib/node_modules/npm >/dev/null
store copy --quiet "$base" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
store run --isolation chroot "$base" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/bin/npm
store config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$base"
store commit --quiet "$base" localhost/node-with-npm >/dev/null
store bud --isolation chroot --format docker --build-arg BUILD=localhost/node-with-npm \
  --ignorefile deploy/Dockerfile.dockerignore -f deploy/Dockerfile -t switchboard . >"$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2 && fail 'the image does not build'; }
root=$(store mount "$(store from switchboard)")

echo "The image has $(du -sm "$root" | cut -f1) MB, and $(find "$root/app/node_modules" -name package.json | wc -l) package.json"
store inspect --type image --format '{{.Docker.Config.User}} {{.Docker.Config.StopSignal}} {{.Docker.Config.Entrypoint}}' switchboard
found=$(find "$root" -name sh -o -name bash -o -name busybox -o -name npm -o -name '*.h' -o -name typescript -path '*/node_modules/typescript' -o -name vitest)
[ -z "$found" ] || fail "it has $found"

# As an engine runs it: its own user, a read-only file system, no capability, and no new privileges. It shares the machine's network.
mkdir "$work/bundle"
spec() {
  cat <<JSON
{
  "ociVersion": "1.0.2",
  "root": { "path": "$root", "readonly": true },
  "process": {
    "user": { "uid": 65532, "gid": 65532 }, "cwd": "/app", "noNewPrivileges": true,
    "env": ["NODE_ENV=production", "NODE_COMPILE_CACHE=node_modules/.cache/node", "HOST=127.0.0.1", "PORT=$port"],
    "args": ["/app/node_modules/.bin/node", "--v8-pool-size=0", "src/main.cjs"]
  },
  "mounts": [
    { "destination": "/proc", "type": "proc", "source": "proc" },
    { "destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"] },
    { "destination": "/etc/resolv.conf", "type": "bind", "source": "/etc/resolv.conf", "options": ["bind", "ro"] },
    { "destination": "/etc/hosts", "type": "bind", "source": "/etc/hosts", "options": ["bind", "ro"] }
  ],
  "linux": { "namespaces": [{ "type": "pid" }, { "type": "mount" }, { "type": "ipc" }, { "type": "uts" }] }
}
JSON
}
spec >"$work/bundle/config.json"
# An engine makes the files that it mounts over.
touch "$root/etc/resolv.conf" "$root/etc/hosts"
mkdir -p "$root/proc" "$root/dev"
runc --root "$work/runc" run --bundle "$work/bundle" "$container" >"$work/out" 2>"$work/err" &
runs=$!
inside() { runc --root "$work/runc" exec "$container" "$@"; }
node=/app/node_modules/.bin/node
tries=0
until [ "$(curl --silent --max-time 2 --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$port/ready")" = 200 ]; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { cat "$work/out" "$work/err" >&2 && fail 'it is not ready'; }
  sleep 0.2
done
echo 'It is ready'
inside $node deploy/healthcheck.js || fail 'its health check fails'
runc --root "$work/runc" exec --env NODE_DEBUG_NATIVE=COMPILE_CACHE "$container" $node \
  -e 'require("/app/src/main.cjs").flags.forEach(require("v8").setFlagsFromString); import("/app/src/config.ts")' 2>&1 | grep -q 'src/config.ts.* was accepted' || fail 'its code was not compiled beforehand'
inside /bin/sh -c true 2>/dev/null && fail 'a shell runs in it'
# shellcheck disable=SC2016
inside $node -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const status = readFileSync("/proc/1/status", "utf8");
  console.log(process.version, status.match(/^(Uid|CapEff|NoNewPrivs):.*$/gm).join(" ").replaceAll("\t", " "));
  if (!/^Uid:\s65532/m.test(status) || !/^CapEff:\s0+$/m.test(status)) throw new Error("it has rights");
  for (const path of ["/app/x", "/tmp/x", "/x", "/app/node_modules/.cache/node/x"])
    try { writeFileSync(path, ""); throw new Error(`${path} can be written`); }
    catch (error) { if (!["EROFS", "ENOENT", "EACCES"].includes(error.code)) throw error; }
  require("node:dns").lookup("localhost", (error) => { if (error) throw error; });
' || fail 'its rights are wrong'
curl --silent --fail "http://127.0.0.1:$port/graphql" -H 'Authorization: Bearer sandbox-key' \
  -H 'Content-Type: application/json' -d '{"query":"{ missions { totalCount } }"}'
echo
runc --root "$work/runc" kill "$container" TERM
if wait $runs; then echo 'It stopped with 0 at SIGTERM'; else fail "it ended with $?"; fi
