# A first machine manifest. Copy this folder to ~/.config/agentihooks and run `agentihooks switch`.

persona = ["persona/me.md"] # what Copilot knows about you, in every session
rules   = ["rules/*.md"]    # short rules, added to the persona
skills  = ["skills/*"]      # one folder a skill
agents  = ["agents/*.md"]   # one file an agent

module "base" {
  source = "builtin/base" # channels and the status line
}

target "copilot" {
  settings = {
    theme = "dim"
  }
}

guard "commands" {
  deny = ["git push --force", "git push -f"]
}
