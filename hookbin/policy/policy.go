// Package policy is what the hook runs, compiled: a versioned, checksummed value in one file beside the binary.
package policy

// Policy is everything that the hook needs to know at run time. It holds references to secrets, never their values.
type Policy struct {
	Host     string
	StateDir string   // absolute: $STATE of the machine; never taken from the environment
	Channels []string // that sessions listen to
	Guards   []Guard  // sorted by kind
	Secrets  []Secret // sorted by name

	Reminders    []Reminder // sorted by name
	ProjectRules bool       // a session gets the instructions of its repository that the agent does not read itself
}

// Guard is one guard in compiled form. Data is the guard's own encoding (package guard makes and reads it).
type Guard struct {
	Kind string // "commands"
	Data []byte
}

// Secret says where the value of a secret is read when a server is started. One of the three is set.
type Secret struct {
	Name    string
	Doc     string   // what it is and where to get it, for a person who lacks it; may be empty
	Env     string   // name of an environment variable
	File    string   // absolute path, or "~/…"; one trailing newline is cut
	Command []string // argv; its stdout, one trailing newline cut
}

// Reminder is text that a session gets again and again.
type Reminder struct {
	Name  string
	Every int // tool calls; at least 1
	Text  string
}
