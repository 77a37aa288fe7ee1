// Package modules is the HCL modules that every manifest can use by name: module "x" { source = "builtin/<name>" }.
package modules

import "embed"

// FS holds one folder a module, named as in its source.
//
//go:embed base guardrails wsl
var FS embed.FS
