# make demo   see it work, in a home of its own
# make test   what has to pass before a commit, with make lint
# make build  bin/agentihooks, which holds the hook for every system that it runs on

GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

VERSION   ?=
TESTFLAGS ?=
FUZZTIME  ?= 10s
HISTORIES ?= 10000

# git refuses to describe another user's checkout, and the go command then fails; nothing here needs the description.
export GOFLAGS := $(GOFLAGS) -buildvcs=false
export CGO_ENABLED := 0

HOOK_SOURCES := go.mod go.sum $(shell find hookbin internal/hookbuild -name '*.go' ! -name '*_test.go')
HOOKS        := $(foreach system,linux-amd64 linux-arm64 darwin-amd64 darwin-arm64,hookbin/bin/agentihooks-hook-$(system))

.PHONY: build demo test lint fuzz crash histories e2e bench clean

build: $(HOOKS)
	go build -tags=hooks -trimpath -ldflags='-s -w $(if $(VERSION),-X main.version=$(VERSION))' -o bin/agentihooks ./cmd/agentihooks

# One run makes all four, which a pattern rule with several targets says to every make. On two cores it takes about a
# minute with an empty build cache, and a second after that.
%-linux-amd64 %-linux-arm64 %-darwin-amd64 %-darwin-arm64: $(HOOK_SOURCES)
	go generate ./hookbin
	touch $(HOOKS)

demo: build
	.ci/demo

test: $(HOOKS)
	go vet -tags=hooks ./...
	go test -tags=hooks $(TESTFLAGS) ./...

lint:
	@files=$$(go run $(GOFUMPT) -l .) || exit; \
	if [ -n "$$files" ]; then echo "not formatted as gofumpt does:" $$files; exit 1; fi
	GOOS=linux go vet ./...
	GOOS=darwin go vet ./...
	go run $(STATICCHECK) ./...

# Every fuzz test of every package, $(FUZZTIME) each.
fuzz:
	.ci/fuzz $(FUZZTIME)

# Every command ended and made to fail at every file-system call, and $(HISTORIES) random histories. Best as an ordinary
# user; run by root, the tests become one.
crash: $(HOOKS)
	AGENTIHOOKS_CRASH=full AGENTIHOOKS_HISTORIES=$(HISTORIES) go test -tags=hooks -count=1 -v -timeout=30m $(TESTFLAGS) ./internal/faults/... ./internal/crash/...

# The random histories alone, which take minutes where the whole of crash takes ten.
histories: $(HOOKS)
	AGENTIHOOKS_HISTORIES=$(HISTORIES) go test -tags=hooks -count=1 -v -timeout=30m -run=TestHistories $(TESTFLAGS) ./internal/crash

# Needs the Copilot CLI: in PATH, or launchers in AGENTIHOOKS_COPILOT, separated by colons.
e2e: $(HOOKS)
	AGENTIHOOKS_E2E=require go test -tags=hooks -count=1 $(TESTFLAGS) ./internal/e2e/...

bench: $(HOOKS)
	go run ./internal/bench/hookbench
	go run ./internal/bench/switchbench
	go test -tags=hooks -run='^$$' -bench=. -benchmem $(TESTFLAGS) ./...

clean:
	rm -rf bin hookbin/bin/agentihooks-hook-*
