#!/usr/bin/env bash
# Makes the static book of docs/ in target/book/html with mdBook. Without an mdBook of this version it builds one into target/mdbook (minutes).
#
# Links to files of the repository that are no pages become text: the book is read without the repository.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.5.4
target=${CARGO_TARGET_DIR:-target}
is_right() { [ "$("$1" --version 2>/dev/null || true)" = "mdbook v$version" ]; }

# One that is installed will do.
mdbook=$(command -v mdbook || true)
is_right "$mdbook" || mdbook=$target/mdbook/bin/mdbook
if ! is_right "$mdbook"; then
    echo "docs: building mdBook $version, once" >&2
    cargo install mdbook --version "=$version" --locked --no-default-features --features search --root "$target/mdbook"
fi

pages=$target/book/pages
rm -rf "$target/book"
mkdir -p "$pages"
cp -r docs/. "$pages"
sed -E -i 's/\[([^]]*)\]\(\.\.\/[^)]*\)/\1/g' "$pages"/*.md
MDBOOK_BOOK__SRC=$pages "$mdbook" build --dest-dir "$(realpath "$target/book")/html"
echo "$target/book/html/index.html"
