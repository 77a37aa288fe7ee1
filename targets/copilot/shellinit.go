package copilot

import (
	"fmt"
	"path"
	"strings"
)

// ShellInit is the lines that load the environment files of the home into a shell: bash, zsh or fish. They do nothing
// if the files are not there, may be evaluated any number of times, and leave the shell's own options as they are.
func ShellInit(shell, home string) (string, error) {
	if strings.IndexByte(home, 0) >= 0 || !path.IsAbs(home) {
		return "", fmt.Errorf("the home %q is no absolute path", home)
	}
	switch shell {
	case "bash", "zsh":
		file := shellQuote(path.Join(home, envDir, envName))
		return fmt.Sprintf(`# >>> agentihooks >>>
# The environment of the coding agents, from the current generation.
if [ -r %[1]s ]; then
  case $- in
    *a*) . %[1]s ;;
    *) set -a; . %[1]s; set +a ;;
  esac
fi
# <<< agentihooks <<<
`, file), nil
	case "fish":
		file := fishQuote(path.Join(home, envDir, fishName))
		return fmt.Sprintf(`# >>> agentihooks >>>
# The environment of the coding agents, from the current generation.
if test -r %[1]s
    source %[1]s
end
# <<< agentihooks <<<
`, file), nil
	}
	return "", fmt.Errorf("there is nothing for the shell %q: it is bash, zsh or fish", shell)
}
