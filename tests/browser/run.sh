#!/bin/sh
# Clicks through reports in a real browser. Needs Chromium, Node.js and npm; says so and exits with 77 if they are not there.
#
#   tests/browser/run.sh [BOLIDE]
#
# BOLIDE is the binary to test, target/release/bolide by default.
set -eu
cd "$(dirname "$0")"
bolide=$(realpath "${1:-../../target/release/bolide}")
for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
for browser in chromium chromium-browser google-chrome none; do
  if [ "$browser" = none ]; then echo "skipped: Chromium is not installed"; exit 77; fi
  if command -v "$browser" >/dev/null; then break; fi
done
if [ ! -d node_modules/playwright-core ]; then
  npm ci --silent >/dev/null 2>&1 || { echo "skipped: playwright-core cannot be installed"; exit 77; }
fi
exec node test.mjs "$bolide"
