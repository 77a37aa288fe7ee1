#!/bin/sh
# Lays out a home in $HOME: with "user" what a user has, with "python" over it what the Python agentihooks 2.17 makes of it
# for Copilot, from the bundle beside this file. Every format is its own.
set -eu
from=$(cd "$(dirname "$0")" && pwd)
cp -R "$from/$1/." "$HOME/"
[ "$1" = python ] || exit 0
chmod 755 "$HOME/.copilot/agentihooks-hook.sh"
cp -R "$from/bundle" "$HOME/bundle"
ln -s "$HOME/bundle/.claude/skills/notes" "$HOME/.agents/skills/notes"
for file in .copilot/settings.json .copilot/hooks/agentihooks.json .agentihooks/state.json .bashrc; do
	sed "s#@HOME@#$HOME#g" "$HOME/$file" > "$HOME/$file.new"
	cat "$HOME/$file.new" > "$HOME/$file"
	rm "$HOME/$file.new"
done
