.DEFAULT_GOAL := help
.PHONY: help build test test-long lint bench bench-frontier compare-browser fuzz ci clean

TOOLS := . .ci/tools.sh
FUZZTIME ?= 30s
N ?= 1000000
SHELL := /bin/bash

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## one static binary, ./exclave
	CGO_ENABLED=0 go build -trimpath -o exclave ./cmd/exclave

test: ## what a change must pass; some minutes
	go test ./...

# The faults and flips of internal/job are thousands of crawls: hours with the race detector, minutes without.
test-long: ## with the race detector, 200 kills of a crawl, a fault at every operation, in random order
	@$(TOOLS) && install_warcio && export EXCLAVE_WARCIO="$$VENV/bin/warcio" && \
	EXCLAVE_LONG=1 go test -timeout 1h -shuffle on ./internal/job && go test -race -shuffle on ./internal/job && \
	EXCLAVE_KILLS=200 EXCLAVE_LONG=1 go test -race -timeout 3h -shuffle on $$(go list ./... | grep -v '/internal/job$$')

lint: ## format, vet, golangci-lint, code that nothing reaches
	@test -z "$$(git ls-files -z '*.go' | xargs -0 gofmt -l | tee /dev/stderr)"
	go vet ./...
	go -C tools/recognition/lingua vet .
	@$(TOOLS) && install_lint && "$$LINT" run ./...
	.ci/deadcode

bench: ## all benchmarks; compare two runs with benchstat
	go test -run '^$$' -bench . -benchmem -count "$${COUNT:-6}" ./...

bench-frontier: ## the frontier with N URIs (1000000), on this disk and on one with slow fsyncs
	CGO_ENABLED=0 go run ./cmd/exclave bench frontier --uris $(N)
	CGO_ENABLED=0 go run ./cmd/exclave bench frontier --uris $(N) --sync-delay 5ms

compare-browser: ## what Chromium asks for against what extraction finds; DATA=folder of pages and WARC files (../shared/data), CHROMIUM=program (chromium-headless-shell is several times as fast)
	go run ./tools/comparebrowser -hold -o docs/extraction-browser.md -chromium "$${CHROMIUM:-chromium}" "$${DATA:-../shared/data}"

fuzz: ## every fuzz test for FUZZTIME (30s); all run, what failed is named at the end
	@FUZZTIME=$(FUZZTIME) .ci/fuzz

ci: ## what CI runs
	.ci/run

clean: ## remove what the other targets make
	rm -rf exclave dist
	go clean -testcache
