# The commands a newcomer needs. Each installs what is missing first, works as root or with sudo, and may be repeated.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run run-group build stub client console docs image dist test test-full test-bare test-packages bench lint install

# rustup installs here when it is not on the path yet.
export PATH := $(PATH):$(HOME)/.cargo/bin
CARGO_TARGET := $(or $(CARGO_TARGET_DIR),target)

help: ## Show the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

run: ## Build and serve queue manager QM1 from ./quaymaster-data
	@scripts/install.sh build
	cargo build --release --locked --package server
	@exec $(CARGO_TARGET)/release/quaymaster serve

run-group: ## Build, and serve a queue-sharing group of two members on PostgreSQL from ./quaymaster-group
	@scripts/install.sh build group
	cargo build --release --locked --package server
	@QUAYMASTER=$(CARGO_TARGET)/release/quaymaster scripts/run-group.sh

build: ## Build target/release/quaymaster
	@scripts/install.sh build
	cargo build --release --locked --package server

stub: ## Build libbaqcstub, its links, header and copybook into target/stub-files
	@scripts/install.sh build
	scripts/stub.sh

client: ## Build the MQI library, its headers, copybooks and samples into target/quaymaster-client; TARGET= for other machines
	@scripts/install.sh build $(if $(findstring musl,$(TARGET)),musl)
	QUAYMASTER_CLIENT_TARGET=$(TARGET) scripts/client.sh

console: ## Build console/dist, the browser console that the server embeds, and run its unit tests
	@scripts/install.sh build console
	cd console && npm ci && npm run types && npm test && npm run build
	cargo xtask codegen console

docs: ## Write the book of docs/ as static pages into target/book/html, with mdBook
	@scripts/install.sh build
	scripts/docs.sh

image: ## Write the container image into target/dist, without Docker
	@scripts/install.sh build
	cargo build --release --locked --package server
	cargo --config xtask/packing.toml xtask image

dist: ## Build what is handed out for other machines into target/dist; MACHINES= for others, such as "x86_64 aarch64"
	@scripts/install.sh build dist musl $(if $(findstring aarch64,$(MACHINES)),arm)
	QUAYMASTER_MACHINES="$(MACHINES)" scripts/dist.sh

test: ## Run every test
	@scripts/install.sh build test
	scripts/test.sh

test-full: ## Run every test with a hundred kills and an hour of soak, those against Open Liberty, and build fuzz/
	@scripts/install.sh build test full lint musl
	scripts/test.sh full

test-bare: ## Run the README's first commands in a bare Debian 12 (root)
	@scripts/install.sh bare
	scripts/test-bare.sh

test-packages: ## Install, upgrade, use and remove every package of make dist in a bare Debian 12 (root)
	@scripts/install.sh bare
	scripts/test-packages.sh

bench: ## Measure what docs/performance.md shows
	@scripts/install.sh build bench
	cargo xtask bench
	cargo bench --locked --package benches --bench inside

lint: ## Check formatting, lints and the rules of the repository
	@scripts/install.sh build lint
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	scripts/fuzz-check.sh
	cargo xtask tidy

install: ## Install what is missing for all of the above
	@scripts/install.sh build test full bench lint dist musl
