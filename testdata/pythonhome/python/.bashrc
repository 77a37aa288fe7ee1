alias ll='ls -l'
# === agentihooks ===
agentienv() {
  set -a
  . "@HOME@/.agentihooks/.env"
  for f in "@HOME@/.agentihooks"/*.env; do . "$f"; done
  set +a
}
agentienv
export PATH="$HOME/.local/bin:$PATH"
alias agenti='agentihooks claude'
# === end-agentihooks ===
