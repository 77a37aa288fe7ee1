# What the Python agentihooks has in this home, as a manifest.
channels = ["brain", "amygdala"]
persona  = ["persona.md"]
agents   = ["reviewer.md"]
skills   = ["notes", "release"]

target "copilot" {
  allowAll = true
  settings = {
    theme     = "dim"
    keepAlive = "busy"
  }
}

secret "GATEWAY_TOKEN" {
  env = "GATEWAY_TOKEN"
}

mcp "gateway" {
  url     = "https://gateway.example/mcp"
  headers = { Authorization = "Bearer ${secret.GATEWAY_TOKEN}" }
}
