package guard

import "testing"

func TestNetworkCommands(t *testing.T) {
	for name, args := range map[string]Args{
		"network":       {"allow": []string{"example.com", "*.example.com", "10.0.0.1"}},
		"network_block": {"deny": []string{"evil.com", "*.evil.com", "169.254.169.254", "[::1]"}},
	} {
		t.Run(name, func(t *testing.T) {
			judged(t, name, args, func(line string) *Call {
				return &Call{Tool: "bash", Command: line, Cwd: "/w", Home: "/home/u"}
			})
		})
	}
}

func TestNetworkFetch(t *testing.T) {
	args := Args{"allow": []string{"*.example.com", "EXAMPLE.com"}, "deny": []string{"private.example.com"}}
	for url, want := range map[string]VerdictKind{
		"https://example.com/a": Pass, "https://docs.example.com": Pass, "HTTPS://DOCS.EXAMPLE.COM./": Pass, "docs.example.com/x": Pass,
		"https://example.com.evil.com": Deny, "https://example.com@evil.com/": Deny, "https://private.example.com": Deny, "https://badexample.com": Deny,
		"https://exаmple.com": Deny, "https://xn--exmple-4nf.com": Deny, `https://evil.com\@example.com`: Deny, "file:///etc/passwd": Pass, "": Pass,
	} {
		if v := verdictOn(t, "network", args, Call{Tool: "web_fetch", URL: url}); v.Kind != want {
			t.Errorf("%s: %+v", url, v)
		}
	}
}

func TestNewHost(t *testing.T) {
	for text, want := range map[string]string{
		"Example.COM.": "example.com", "0x7f.1": "127.0.0.1", "2130706433": "127.0.0.1", "0177.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "1.2.3.4": "1.2.3.4",
		"::1": "0:0:0:0:0:0:0:1", "0:0::0:1": "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1": "127.0.0.1", "::ffff:7f00:1": "127.0.0.1", "fe80::1": "fe80:0:0:0:0:0:0:1",
		"%65xample.com": "example.com", "1.2.3.4.5": "1.2.3.4.5", "256.1.1.1": "256.1.1.1",
	} {
		if h := newHost(text); h.name != want || !h.sure {
			t.Errorf("%s: %+v, want %s", text, h, want)
		}
	}
	for _, text := range []string{"", "a b", "exаmple.com", "example。com", "fe80::1%eth0", "1:2:3", "::g"} {
		if h := newHost(text); h.sure {
			t.Errorf("%q: %+v is taken for sure", text, h)
		}
	}
}

func TestNetworkArguments(t *testing.T) {
	for _, text := range []string{"https://example.com", "example.com:80", "a b", "*.*.com", "exаmple.com", ""} {
		if _, problems := Compile("network", Args{"allow": []string{text}}); len(problems) != 1 {
			t.Errorf("%q: %v", text, problems)
		}
	}
	data, _ := Compile("network", Args{"allow": []string{"b.com", "A.com"}, "deny": []string{"[::1]"}})
	if got, want := Describe("network", data), "network: denies host 0:0:0:0:0:0:0:1, hosts but a.com, b.com"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
