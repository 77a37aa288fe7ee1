// Command mcpserver is a small MCP server on standard input and output, for tests: one tool that answers with its
// argument, and one that proves which token the server was given without ever saying it.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	token, ok := os.LookupEnv("TOKEN")
	if err := newServer(token, ok).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatalf("serving: %v", err)
	}
}

type echoArgs struct {
	Text string `json:"text" jsonschema:"what to say"`
}

// newServer makes the server. Its whoami says the sha256 of the token in hex, or "no token".
func newServer(token string, ok bool) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "mcpserver", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Description: "answers with its argument"},
		func(_ context.Context, _ *mcp.CallToolRequest, args echoArgs) (*mcp.CallToolResult, any, error) {
			return text("echo: " + args.Text), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "whoami", Description: "answers with the sha256 of its token"},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			if !ok {
				return text("no token"), nil, nil
			}
			sum := sha256.Sum256([]byte(token))
			return text("token sha256 " + hex.EncodeToString(sum[:])), nil, nil
		})
	return s
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}
