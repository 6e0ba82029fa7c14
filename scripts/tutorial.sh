#!/usr/bin/env bash
# Does a page as a reader does: tutorial.sh PAGE, in the folder where its commands run. Installs the Debian packages that its line "Time:"
# names, runs its shell blocks in one shell, and compares what they print with the answers that the page shows.
# Prints the seconds, and fails when the page promises fewer minutes.
set -euo pipefail
page=$1
say() { echo "tutorial: $*" >&2; }

time=$(sed -n 's/^Time: //p' "$page")
minutes=${time%% *}
packages=$(grep -o '`[^`]*`' <<< "$time" | tr -d '`' | tr '\n' ' ')
begun=$SECONDS
# shellcheck disable=SC2086 # several words
DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages > tutorial.log 2>&1 \
    || { say "the packages of $page cannot be installed: $(tail -n 3 tutorial.log)"; exit 1; }
printed=$(bash -ec "trap 'kill \$(jobs -p) 2>/dev/null || true; wait' EXIT
$(sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```')" 2>> tutorial.log) \
    || { say "a command of $page ended with $?: $(tail -n 20 tutorial.log) $printed"; exit 1; }
taken=$((SECONDS - begun))
while IFS= read -r answer; do
    grep -qF -- "$answer" <<< "$printed" || { say "$page shows '$answer', which is not in: $printed"; exit 1; }
done < <(sed -n 's/^# -> //p' "$page")
rm tutorial.log
say "$page took $taken s; it promises $minutes minutes"
[ "$taken" -le $((minutes * 60)) ]
