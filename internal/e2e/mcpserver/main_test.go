package main

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestTools(t *testing.T) {
	for _, tt := range []struct {
		name, token string
		has         bool
		tool        string
		args        map[string]any
		want        string
	}{
		{name: "echo", tool: "echo", args: map[string]any{"text": "hi"}, want: "echo: hi"},
		{name: "no token", tool: "whoami", want: "no token"},
		{
			name: "token", token: "abc", has: true, tool: "whoami",
			want: "token sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ours, theirs := mcp.NewInMemoryTransports()
			if _, err := newServer(tt.token, tt.has).Connect(t.Context(), ours, nil); err != nil {
				t.Fatal(err)
			}
			client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), theirs, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: tt.args})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Content) != 1 || res.Content[0].(*mcp.TextContent).Text != tt.want {
				t.Errorf("%+v, want %q", res.Content, tt.want)
			}
		})
	}
}
