# Three machines from one manifest: a laptop with WSL, a macOS studio and a Linux CI host. Every block type and every
# attribute stands here at least once.

locals {
  docs = "https://docs.example.net/mcp"
  team = "platform"
}

keepGenerations = 30 # how far rollback reaches

channels     = ["brain", "amygdala"]
persona      = ["persona/team.md"]
rules        = ["rules/*.md"]
manifesto    = ["persona/manifesto.md"] # after everything else
instructions = ["instructions/**/*.instructions.md"]
skills       = ["skills/*"]
agents       = ["agents/*.md"]
commands     = ["commands/*.md"]

module "guardrails" {
  source = "builtin/guardrails"
  deny   = ["terraform destroy", "kubectl delete namespace *"]
}

module "review" {
  source = "./modules/review"
  team   = local.team
  limit  = 400
}

# A folder as Claude Code and the Python agentihooks have it. What stands in this file goes over it.
bundle "platform" {
  source   = "./bundle"
  profiles = ["backend"]
}

target "copilot" {
  version            = "1.0.102" # settings and servers are checked for it
  identity           = true      # the instructions open with the names of the profiles
  statusLine         = true
  mcpDefaultDisabled = true
  mcpAlwaysEnabled   = ["tracker"]
  settings = {
    theme     = "dim"
    keepAlive = "busy"
    footer = {
      showModelEffort = true
    }
  }
}

guard "commands" {
  deny = ["npm publish", "docker push *:latest"]
}

# Credentials are neither written nor sent.
guard "secrets" {
  allow = ["AKIA*EXAMPLE", "**/testdata"]
}

guard "git" {
  protected = ["main", "release/*"]
  deny      = ["push", "force", "history", "commit", "tags"]
}

# What is read into every session stays short.
guard "size" {
  lines = 200
  files = ["**/AGENTS.md", "**/CLAUDE.md"]
  mode  = "warn"
}

guard "kubectl" {
  allow = ["kubectl rollout", "kubectl scale"]
}

# Any other host, and every new package, is a question to a person.
guard "network" {
  allow = ["github.com", "*.github.com", "*.githubusercontent.com", "*.example.net"]
  deny  = ["169.254.169.254"]
  mode  = "ask"
}

guard "packages" {
  managers = ["npm", "pip", "uv"]
  restore  = false
  mode     = "ask"
}

secret "GATEWAY_TOKEN" {
  env = "GATEWAY_TOKEN" # Copilot expands it in headers, so it must be in Copilot's environment
}

secret "TRACKER_TOKEN" {
  file = "~/.config/tracker/token" # read when the server is started; the agent's own shell never has it
}

secret "WAREHOUSE_PASSWORD" {
  command = ["pass", "show", "warehouse/agent"]
}

# A server over HTTP.
mcp "gateway" {
  type                = "http"
  url                 = "https://mcp.example.net/gateway"
  headers             = { Authorization = "Bearer ${secret.GATEWAY_TOKEN}" }
  headersRefreshTtlMs = 60000
  tools               = ["search", "fetch"]
  timeout             = 30000
  displayName         = "Gateway"
}

# A server that signs in by OAuth.
mcp "docs" {
  type              = "sse"
  url               = local.docs
  auth              = true
  oidc              = false
  oauthClientId     = "agentihooks-example"
  oauthScopes       = ["docs.read"]
  oauthPublicClient = true
  oauthGrantType    = "authorization_code"
}

# Servers that run on the machine itself.
mcp "tracker" {
  type         = "local"
  command      = "tracker-mcp"
  args         = ["--project", local.team]
  env          = { TRACKER_TOKEN = secret.TRACKER_TOKEN, TRACKER_REGION = "eu-1" }
  excludeTools = ["delete_issue"]
  deferTools   = "auto"
}

mcp "warehouse" {
  command  = "uvx"
  args     = ["warehouse-mcp@2.1.0"]
  cwd      = "/srv/warehouse"
  env      = { DSN = "postgresql://agent:${secret.WAREHOUSE_PASSWORD}@db.example.net/warehouse" }
  disabled = true # known to Copilot, started only when somebody enables it there
}

profile "oncall" {
  channels = ["oncall"]
}

profile "work" {
  include = ["oncall"]

  target "copilot" {
    settings = {
      keepAlive = "off"
    }
  }
}

# The label is the hostname.
host "lt-0417" {
  profiles = ["work"]

  module "wsl" {
    source = "builtin/wsl"
  }

  facts = {
    hostname = "lt-0417"
    os       = "linux"
    arch     = "amd64"
    wsl      = true
    user     = "ana"
    home     = "/home/ana"
    which    = { wslview = "/usr/bin/wslview" }
  }
}

# With `when`, only the expression decides.
host "studio" {
  when     = facts.os == "darwin" && facts.user == "ana"
  profiles = ["oncall"]

  target "copilot" {
    browserCommand = ["open", "-a", "Safari"]
  }

  facts = {
    hostname = "studio"
    os       = "darwin"
    arch     = "arm64"
    wsl      = false
    user     = "ana"
    home     = "/Users/ana"
    which    = { open = "/usr/bin/open" }
  }
}

host "ci-1" {
  channels = only(["ci"]) # instead of what the top level says

  target "copilot" {
    allowAll              = true
    hooks                 = true
    suppressBrowserLaunch = true
  }

  mcp "docs" {
    enabled = false # nobody can sign in here
  }

  facts = {
    hostname    = "ci-1"
    os          = "linux"
    arch        = "arm64"
    wsl         = false
    user        = "ci"
    home        = "/var/lib/ci"
    stateDir    = "/var/lib/ci/.local/state/agentihooks"
    copilotHome = "/var/lib/ci/.copilot"
    versions    = { copilot = "1.0.102" }
  }
}
