#!/usr/bin/env bash
# managed-by: agentihooks — regenerate with: agentihooks init --target copilot
set -euo pipefail
cd /opt/agentihooks
AGENTIHOOKS_COPILOT_EVENT="${1:-}" AGENTIHOOKS_TARGET=copilot exec /opt/agentihooks/.venv/bin/python -m hooks
