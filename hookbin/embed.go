//go:build hooks

package hookbin

import _ "embed"

// What `go generate` made. As bytes, not as an embed.FS, which gives copies: the first touch of three megabytes of fresh
// memory took longer than reading a manifest.
var (
	//go:embed bin/agentihooks-hook-darwin-amd64
	darwinAMD64 []byte
	//go:embed bin/agentihooks-hook-darwin-arm64
	darwinARM64 []byte
	//go:embed bin/agentihooks-hook-linux-amd64
	linuxAMD64 []byte
	//go:embed bin/agentihooks-hook-linux-arm64
	linuxARM64 []byte
)

var binaries = map[string][]byte{
	"darwin/amd64": darwinAMD64, "darwin/arm64": darwinARM64, "linux/amd64": linuxAMD64, "linux/arm64": linuxARM64,
}
