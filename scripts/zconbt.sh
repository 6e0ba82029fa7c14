#!/usr/bin/env bash
# Packs the build toolkit: zconbt.sh PROGRAM FOLDER makes FOLDER/zconbt.zip with bin/, lib/ and doc/.
set -euo pipefail
program=$1
folder=$2
repository=$(cd "$(dirname "$0")/.." && pwd)

rm -rf "$folder/zconbt" "$folder/zconbt.zip"
mkdir -p "$folder/zconbt/bin" "$folder/zconbt/lib" "$folder/zconbt/doc"
# Without what debuggers want, which is most of it.
install -s -m 755 "$program" "$folder/zconbt/lib/quaymaster"
install -m 644 "$repository/docs/zconbt.md" "$repository/LICENSE" "$folder/zconbt/doc/"
for name in zconbt zconbt.zos; do
    cat > "$folder/zconbt/bin/$name" <<'SCRIPT'
#!/bin/sh
# The build toolkit for API requesters: zconbt -p PROPERTIES -f ARCHIVE.ara
program=$(readlink -f "$0" 2>/dev/null || echo "$0")
exec "$(dirname "$program")/../lib/quaymaster" zconbt "$@"
SCRIPT
    chmod 755 "$folder/zconbt/bin/$name"
done
(cd "$folder/zconbt" && zip -q -r -X ../zconbt.zip bin lib doc)
rm -rf "$folder/zconbt"
echo "$folder/zconbt.zip"
