package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agentihooks/agentihooks/hookbin/channel"
	"github.com/agentihooks/agentihooks/hookbin/session"
	"github.com/agentihooks/agentihooks/internal/diag"
)

func channelCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "channel",
		Short: "Send messages to running agent sessions, list them and take them back",
		RunE: func(*cobra.Command, []string) error {
			return usagef("name what to do: publish, list, ack or clear")
		},
	}
	for _, command := range []func(*app) *cobra.Command{channelPublish, channelList, channelAck, channelClear} {
		sub := command(a)
		sub.Args = usageArgs(sub.Args)
		c.AddCommand(sub)
	}
	return c
}

// The variable that names an agent's session in its own shell (Copilot 1.0.80 to 1.0.102).
const agentSession = "COPILOT_AGENT_SESSION_ID"

func channelPublish(a *app) *cobra.Command {
	var m channel.Message
	var severity string
	var life time.Duration
	c := &cobra.Command{
		Use:   "publish MESSAGE",
		Short: "Send a message to the sessions that listen to a channel, to one session, or to all",
		Long: `publish makes a message live. Sessions get it with their next prompt, nuclear and critical ones and those for one
session with their next tool call; those from nuclear to warning again every two minutes until they are acknowledged.
MESSAGE - reads it from standard input. Without --channel and --session every session gets it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m.Severity, m.Text = channel.Severity(severity), args[0]
			m.From = channel.Sender{Agent: a.env("COPILOT_CLI") == "1"}
			if m.From.Agent {
				m.From.Session = a.env(agentSession)
			}
			if args[0] == "-" {
				text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), channel.MaxText+1))
				if err != nil {
					return fmt.Errorf("reading the message: %w", err)
				}
				m.Text = string(text)
			}
			usual, persistent, ok := m.Severity.Defaults()
			if !ok {
				return usagef("--severity is one of %s, not %q", strings.Join(channel.Severities(), ", "), severity)
			}
			if !cmd.Flags().Changed("ttl") {
				life = usual
			}
			if !cmd.Flags().Changed("persistent") {
				m.Persistent = persistent
			}
			m.Created = a.now()
			m.Expires = m.Created.Add(life)
			return a.publish(m)
		},
	}
	c.Flags().StringVar(&m.Channel, "channel", "", "who listens to it gets the message")
	c.Flags().StringVar(&m.Session, "session", "", "only the session with this id gets the message")
	c.Flags().StringVar(&severity, "severity", "alert", strings.Join(channel.Severities(), ", "))
	c.Flags().DurationVar(&life, "ttl", 0, "how long it is live (default: 30m for nuclear, critical, resolved, 1h for alert, warning, 4h for info)")
	c.Flags().BoolVar(&m.Persistent, "persistent", false, "hand it over again until it is acknowledged (default: all but info and resolved)")
	return c
}

func (a *app) publish(m channel.Message) error {
	if err := m.Check(); err != nil {
		return usageError{err}
	}
	state, err := a.messageState()
	if err != nil {
		return err
	}
	if started, err := session.Started(state, os.Getpid()); err == nil && started {
		m.From.Agent = true // whatever its environment says
	}
	if m, err = channel.Publish(state, m, a.now()); err != nil {
		return err
	}
	if a.json {
		a.printMessages([]channel.Message{m})
		return nil
	}
	fmt.Fprintf(a.stdout, "%s\n", m.ID)
	return nil
}

// messageState is the state folder, which has to be there: without one no session listens.
func (a *app) messageState() (string, error) {
	home, err := a.openHome(false)
	if err != nil {
		return "", err
	}
	exists, err := home.state.Exists()
	if err == nil && !exists {
		err = errors.New("no session listens here, for nothing is installed: run agentihooks switch first")
	}
	return home.state.Dir(), err
}

func channelList(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the live messages, the most urgent first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			live, err := a.liveMessages()
			if err != nil {
				return err
			}
			a.printMessages(live)
			if len(live) == 0 && !a.json {
				fmt.Fprintln(a.stdout, "there are no messages")
			}
			return nil
		},
	}
}

func (a *app) liveMessages() ([]channel.Message, error) {
	home, err := a.openHome(false)
	if err != nil {
		return nil, err
	}
	return channel.Live(home.state.Dir(), a.now())
}

func (a *app) printMessages(list []channel.Message) {
	if a.json {
		a.printJSON(struct {
			Schema   int               `json:"schema"`
			Messages []channel.Message `json:"messages"`
		}{schema, append([]channel.Message{}, list...)})
		return
	}
	for _, m := range list {
		to := "everybody"
		if m.Session != "" {
			to = "session " + m.Session
		} else if m.Channel != "" {
			to = "channel " + m.Channel
		}
		from := "a person"
		if m.From.Agent {
			from = "an agent " + m.From.Session
		}
		fmt.Fprintf(a.stdout, "%s  %-8s  until %s  to %s  from %s\n", m.ID, m.Severity, m.Expires.Format(time.RFC3339), diag.EscapeLine(to), diag.EscapeLine(strings.TrimSpace(from)))
		for _, line := range strings.Split(strings.TrimRight(m.Text, "\n"), "\n") {
			fmt.Fprintf(a.stdout, "    %s\n", diag.EscapeLine(line))
		}
	}
}

func channelAck(a *app) *cobra.Command {
	var id string
	var fromAgent bool
	c := &cobra.Command{
		Use:   "ack ID",
		Short: "Hand a message to a session no more: in an agent's shell, to its own",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			own := a.env(agentSession)
			if id == "" {
				id = own
			}
			if id == "" {
				return usagef("this shell is no agent's: name the session with --session, or take the message back with channel clear")
			}
			if id != own {
				if err := a.refuseAgent(fromAgent); err != nil {
					return err
				}
			}
			state, err := a.messageState()
			if err != nil {
				return err
			}
			if err := channel.Acknowledge(state, id, args[0], a.now()); err != nil {
				return err
			}
			if a.json {
				a.printJSON(struct {
					Schema  int    `json:"schema"`
					ID      string `json:"id"`
					Session string `json:"session"`
				}{schema, args[0], id})
				return nil
			}
			fmt.Fprintf(a.stdout, "session %s gets %s no more\n", diag.EscapeLine(id), args[0])
			return nil
		},
	}
	c.Flags().StringVar(&id, "session", "", "the session (default: the agent's whose shell this is)")
	fromAgentFlag(c, &fromAgent)
	return c
}

func channelClear(a *app) *cobra.Command {
	var all, fromAgent bool
	c := &cobra.Command{
		Use:   "clear ID...",
		Short: "Take messages back",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, ids []string) error {
			if err := a.refuseAgent(fromAgent); err != nil {
				return err
			}
			if all == (len(ids) > 0) {
				return usagef("name the messages, or all of them with --all")
			}
			if all {
				live, err := a.liveMessages()
				if err != nil {
					return err
				}
				for _, m := range live {
					ids = append(ids, m.ID)
				}
			}
			home, err := a.openHome(false)
			if err != nil {
				return err
			}
			gone, err := channel.Clear(home.state.Dir(), ids)
			if all && errors.Is(err, fs.ErrNotExist) {
				err = nil // it ended in between
			}
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(struct {
					Schema  int      `json:"schema"`
					Cleared []string `json:"cleared"`
				}{schema, append([]string{}, gone...)})
				return nil
			}
			fmt.Fprintf(a.stdout, "%d messages taken back\n", len(gone))
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "all of them")
	fromAgentFlag(c, &fromAgent)
	return c
}
