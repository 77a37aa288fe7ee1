# The machine manifest: what the coding agents on your machines are. Preview a change with `agentihooks diff`,
# make it live with `agentihooks switch`, go back with `agentihooks rollback`.
# Paths are relative to this file and may be globs. Everything here may also stand in a profile, a host or a module.

# persona      = ["persona/*.md"]                  # what every session knows about you
# rules        = ["rules/*.md"]                    # short rules, added to the persona
# instructions = ["instructions/*.instructions.md"] # instructions for some paths only
# skills       = ["skills/*"]                      # folders with a SKILL.md
# agents       = ["agents/*.md"]                   # custom agents
# commands     = ["commands/*.md"]                 # slash commands

module "base" {
  source = "builtin/base" # channels and a status line
}

module "guardrails" {
  source = "builtin/guardrails" # commands that no agent runs without a person
}

target "copilot" {
  # settings = {
  #   theme = "dim"
  # }
}

# A secret is a reference: its value never gets into a file, a diff or a command line.
# secret "GATEWAY_TOKEN" {
#   env = "GATEWAY_TOKEN"
# }

# mcp "gateway" {
#   url     = "https://mcp.example.net/gateway"
#   headers = { Authorization = "Bearer ${secret.GATEWAY_TOKEN}" }
#   tools   = ["search", "fetch"]
# }

# One manifest for several machines: a host takes what stands at the top, then its profiles, then its own body.
# profile "work" {
#   channels = ["oncall"]
# }

# host "my-laptop" {
#   profiles = ["work"]
# }
