package shell

import (
	"slices"
	"strings"
)

// wrapper is a command that runs another one. Options are written as getopt takes them: in short, a letter with a colon
// takes a value; in long, a name with an equals sign. An option that is not there may take the next word or not: both
// readings are followed.
type wrapper struct {
	name    string
	short   string
	long    string
	before  int    // operands before the command: the duration of timeout
	then    then   // what follows the operands
	assigns bool   // NAME=value may stand before the command
	input   bool   // without a command, it runs a shell on its standard input
	texts   string // options whose value is shell text: "-c --command"
	after   string // options after which the command begins, whatever stands before: "--args"
}

// then is what follows the options and operands of a wrapper.
type then uint8

const (
	aCommand then = iota // the words of a command
	aText                // words that are joined to shell text
	aSub                 // a subcommand, which has a line of its own: "docker exec"
	nothing              // no command; only texts are run
)

// The options of tools that come in several versions are those of GNU coreutils 9, util-linux 2.39, sudo 1.9,
// OpenSSH 9 and findutils 4.9, by their manuals. Sorted by name: it is searched by halves.
var wrappers = [...]wrapper{
	{name: "apptainer", then: aSub},
	{name: "apptainer exec", long: "bind= env= pwd="},
	{name: "asdf", then: aSub},
	{name: "asdf exec"},
	{name: "aws-vault", then: aSub},
	{name: "aws-vault exec", short: "d:n", long: "duration= no-session", before: 1},
	{name: "builtin"},
	{name: "bundle", then: aSub},
	{name: "bundle exec", long: "keep-file-descriptors gemfile="},
	{name: "busybox"},
	{name: "caffeinate", short: "dimsut:w:"},
	{name: "chronic", short: "ev"},
	{name: "chroot", long: "groups= userspec= skip-chdir", before: 1, input: true},
	{name: "chrt", short: "abdfiorRmvpP:T:D:", long: "sched-runtime= sched-period= sched-deadline=", before: 1},
	{name: "cmd", before: 1, then: aText},
	{name: "command", short: "p"},
	{name: "conda", then: aSub},
	{name: "conda run", short: "n:p:v", long: "name= prefix= cwd= no-capture-output live-stream"},
	{name: "dbus-run-session", long: "config-file= dbus-daemon="},
	{name: "direnv", then: aSub},
	{name: "direnv exec", before: 1},
	{name: "doas", short: "a:C:Lnsu:", input: true},
	{name: "docker", short: "c:H:l:D", long: "config= context= host= log-level= debug tls tlscacert= tlscert= tlskey= tlsverify", then: aSub},
	{name: "docker compose", short: "f:p:", long: "file= project-name= profile= env-file= project-directory=", then: aSub},
	{name: "docker compose exec", short: "dTe:u:w:it", long: "detach env= index= user= workdir= privileged no-TTY", before: 1},
	{name: "docker compose run", short: "dTe:u:w:itp:v:lP", long: "rm detach env= entrypoint= name= user= workdir= volume= publish= label= no-deps service-ports", before: 1},
	{name: "docker container", then: aSub},
	{name: "docker container exec", short: "de:itu:w:", long: "detach detach-keys= env= env-file= interactive privileged tty user= workdir=", before: 1},
	{name: "docker exec", short: "de:itu:w:", long: "detach detach-keys= env= env-file= interactive privileged tty user= workdir=", before: 1},
	{name: "docker run", short: "a:c:de:h:il:m:p:Ptu:v:w:q", long: "detach env= env-file= interactive tty rm user= workdir= volume= name= network= entrypoint= mount= platform= publish= memory= cpus= gpus= label= hostname= privileged init pull= restart= add-host= cap-add= cap-drop= device= ipc= pid= security-opt= tmpfs= ulimit= shm-size= read-only", before: 1},
	{name: "doppler", then: aSub},
	{name: "doppler run", short: "p:c:t:", long: "project= config= token= command=", texts: "--command"},
	{name: "dotenv", short: "f:e:o", long: "file="},
	{name: "dumb-init", short: "cvr:", long: "single-child rewrite= verbose"},
	{name: "eatmydata"},
	{name: "entr", short: "acdnprsxz"},
	{name: "env", short: "0iu:C:S:v", long: "ignore-environment null unset= chdir= split-string= debug block-signal default-signal ignore-signal list-signal-handling", assigns: true},
	{name: "envdir", before: 1},
	{name: "eval", then: aText},
	{name: "exec", short: "cla:"},
	{name: "fakeroot", short: "l:s:i:ub:v", long: "lib= faked= unknown-is-real"},
	{name: "faketime", short: "mpf", before: 1},
	{name: "firejail", long: "quiet noprofile private"},
	{name: "flock", short: "exsuonE:w:Fvc:", long: "exclusive shared unlock close nonblock nb wait= timeout= conflict-exit-code= no-fork verbose command=", before: 1, texts: "-c --command"},
	{name: "gdb", after: "--args"},
	{name: "git", short: "C:c:pPhv", long: "git-dir= work-tree= namespace= super-prefix= config-env= attr-source= exec-path html-path man-path info-path paginate no-pager no-replace-objects no-lazy-fetch no-optional-locks no-advice bare literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs version help", then: aSub},
	{name: "git bisect", then: aSub},
	{name: "git bisect run"},
	{name: "git config", short: "f:zle", long: "file= global system local worktree type= add replace-all bool int path default= blob=", then: nothing},
	{name: "git rebase", short: "ix:mvqnr", long: "exec= interactive onto= autosquash", texts: "-x --exec", then: nothing},
	{name: "git submodule", long: "quiet", short: "q", then: aSub},
	{name: "git submodule foreach", long: "recursive quiet", short: "q", then: aText},
	{name: "gosu", before: 1},
	{name: "hatch", then: aSub},
	{name: "hatch run"},
	{name: "hyperfine", short: "w:m:M:r:s:p:c:n:L:P:D:S:iNu:", long: "warmup= runs= min-runs= max-runs= setup= prepare= cleanup= export-json= export-csv= export-markdown= shell= command-name= parameter-list= parameter-scan= style= ignore-failure show-output", then: aText, texts: "-p --prepare -s --setup -c --cleanup"},
	{name: "ionice", short: "c:n:p:P:tu:", long: "class= classdata= pid= ignore"},
	{name: "konsole", after: "-e"},
	{name: "kubectl", short: "n:s:v:", long: "namespace= context= cluster= kubeconfig= server= token= user= as=", then: aSub},
	{name: "kubectl exec", short: "c:itn:qf:", long: "container= stdin tty namespace= context= quiet", before: 1},
	{name: "ltrace", short: "a:A:bcCD:e:fF:hiL:l:n:o:p:rs:StTu:Vw:x:"},
	{name: "mise", then: aSub},
	{name: "mise exec"},
	{name: "mise x"},
	{name: "nerdctl", then: aSub},
	{name: "nerdctl exec", short: "de:itu:w:", before: 1},
	{name: "nice", short: "n:", long: "adjustment="},
	{name: "nix", long: "extra-experimental-features= option=", then: aSub},
	{name: "nix develop", after: "-c --command"},
	{name: "nix shell", after: "-c --command"},
	{name: "nix-shell", short: "p:A:I:E:Q", long: "run= command= pure keep= arg= argstr= packages", texts: "--run --command", then: nothing, input: true},
	{name: "nocorrect"},
	{name: "nodemon", short: "x:e:w:i:d:qV", long: "exec= ext= watch= ignore= delay=", texts: "-x --exec", then: nothing},
	{name: "noglob"},
	{name: "nohup"},
	{name: "npm", short: "sgw:", long: "prefix= workspace= silent global", then: aSub},
	{name: "npm exec", short: "c:yp:w:", long: "call= package= yes workspace=", texts: "-c --call"},
	{name: "npm x", short: "c:yp:w:", long: "call= package= yes workspace=", texts: "-c --call"},
	{name: "npx", short: "c:yp:qn:", long: "call= package= yes no-install quiet", texts: "-c --call"},
	{name: "nsenter", short: "t:m::u::i::n::p::U::T::C::S:G:r::w::W:e", long: "target= setuid= setgid= wd= all", input: true},
	{name: "numactl", short: "i:p:C:m:Nlas", long: "interleave= preferred= physcpubind= cpunodebind= membind= localalloc"},
	{name: "op", long: "account=", then: aSub},
	{name: "op run", long: "env-file= no-masking account="},
	{name: "parallel", short: "0j:P:a:n:N:L:X:mkuS:I:C:d:r:qvt:", long: "jobs= max-procs= arg-file= max-args= max-replace-args= colsep= delimiter= delay= retries= timeout= halt= joblog= results= sshlogin= sshloginfile= tag keep-order line-buffer ungroup group dry-run bar progress eta null quote pipe will-cite no-run-if-empty verbose xargs", then: aText},
	{name: "pdm", then: aSub},
	{name: "pdm run", short: "sp:", long: "site-packages env="},
	{name: "perf", then: aSub},
	{name: "perf record", short: "e:F:c:o:p:agqvC:"},
	{name: "perf stat", short: "e:o:p:r:advC:I:x:"},
	{name: "pipenv", then: aSub},
	{name: "pipenv run"},
	{name: "pkexec", long: "user= disable-internal-agent"},
	{name: "pnpm", short: "C:rw", long: "dir= filter= recursive", then: aSub},
	{name: "pnpm dlx", long: "package=", short: "c"},
	{name: "pnpm exec", short: "c"},
	{name: "podman", long: "log-level= root= url= connection= remote", then: aSub},
	{name: "podman exec", short: "de:itu:w:l", long: "detach env= env-file= interactive privileged tty user= workdir= latest", before: 1},
	{name: "podman run", short: "a:de:h:il:m:p:tu:v:w:q", long: "detach env= interactive tty rm user= workdir= volume= name= network= entrypoint= privileged pull=", before: 1},
	{name: "poetry", short: "C:vqn", long: "directory=", then: aSub},
	{name: "poetry run"},
	{name: "prlimit", short: "p:o:c::d::e::f::i::l::m::n::q::r::s::t::u::v::x::y::"},
	{name: "proot", short: "r:b:q:w:v:0S:R:i:k:"},
	{name: "proxychains4", short: "qf:"},
	{name: "pyenv", then: aSub},
	{name: "pyenv exec"},
	{name: "rbenv", then: aSub},
	{name: "rbenv exec"},
	{name: "repeat", before: 1},
	{name: "run0", short: "u:g:D:", long: "user= group= chdir= setenv= unit= property= description= slice= nice="},
	{name: "runuser", short: "u:g:G:c:lms:pfPw:", long: "user= group= supp-group= command= session-command= login shell=", texts: "-c --command --session-command", input: true},
	{name: "screen", short: "aAc:dDe:fh:imLlOp:qrRsS:t:T:UvwxX"},
	{name: "script", short: "aB:c:efE:I:m:o:O:qT:t::V", long: "append command= flush force quiet return timing= log-out= log-in= log-io=", before: 1, texts: "-c --command", input: true},
	{name: "setarch", short: "vBFILRSTXZ3", before: 1},
	{name: "setpriv", long: "reuid= regid= clear-groups init-groups keep-groups no-new-privs inh-caps= bounding-set= ambient-caps= groups= securebits= pdeathsig= reset-env"},
	{name: "setsid", short: "cfw", long: "ctty fork wait"},
	{name: "sg", short: "c:", before: 1, then: aText, texts: "-c", input: true},
	{name: "ssh", short: "46AaB:b:Cc:D:E:e:F:fGgI:i:J:Kkl:Mm:Nno:O:p:P:qQ:R:S:sTtVvW:w:XxYyL:", before: 1, then: aText, input: true},
	{name: "sshpass", short: "p:f:d:eP:v"},
	{name: "stdbuf", short: "i:o:e:", long: "input= output= error="},
	{name: "strace", short: "a:b:cCdDe:E:fFhiI:kKno:O:p:P:qrs:S:tTu:vVwxX:yYzZ", long: "trace= output= string-limit= attach= user= env= follow-forks"},
	{name: "su", short: "c:g:G:lmps:fPw:T", long: "command= session-command= group= supp-group= login preserve-environment shell= pty", texts: "-c --command --session-command", then: nothing, input: true},
	{name: "su-exec", before: 1},
	{name: "sudo", short: "AbBEeHiKklnNPSsVvC:D:g:h:p:R:r:t:T:U:u:", long: "askpass background bell close-from= chdir= preserve-env edit group= set-home help host= login remove-timestamp reset-timestamp list no-update non-interactive preserve-groups prompt= chroot= role= stdin shell type= command-timeout= other-user= user= version validate", assigns: true, input: true},
	{name: "systemd-inhibit", long: "what= who= why= mode= list no-pager"},
	{name: "systemd-run", short: "M:p:u:tPqdGSHE:", long: "user system scope unit= property= description= slice= service-type= uid= gid= nice= working-directory= setenv= pty pipe quiet collect wait on-calendar= on-active= on-boot= timer-property= same-dir send-sighup remain-after-exit no-block shell"},
	{name: "taskset", short: "apc", before: 1},
	{name: "time", short: "apvqf:o:", long: "append format= output= portability verbose quiet"},
	{name: "timeout", short: "k:s:vfp", long: "kill-after= signal= preserve-status foreground verbose", before: 1},
	{name: "tini", short: "sp:vwge:l"},
	{name: "tmux", short: "2CDlNuvVc:f:L:S:T:", then: aSub},
	{name: "tmux new", short: "AdDEPXc:e:f:F:n:s:t:x:y:", then: aText},
	{name: "tmux new-session", short: "AdDEPXc:e:f:F:n:s:t:x:y:", then: aText},
	{name: "tmux new-window", short: "abdkPSc:e:F:n:t:", then: aText},
	{name: "tmux neww", short: "abdkPSc:e:F:n:t:", then: aText},
	{name: "tmux respawn-pane", short: "kc:e:t:", then: aText},
	{name: "tmux run-shell", short: "bCc:d:t:", then: aText},
	{name: "tmux send", short: "FHKlMRXc:N:t:", then: aText},
	{name: "tmux send-keys", short: "FHKlMRXc:N:t:", then: aText},
	{name: "tmux split-window", short: "bdfhIvPZc:e:F:l:t:", then: aText},
	{name: "tmux splitw", short: "bdfhIvPZc:e:F:l:t:", then: aText},
	{name: "torsocks", short: "u:p:a:P:i"},
	{name: "toybox"},
	{name: "unbuffer", short: "p"},
	{name: "unshare", short: "m::u::i::n::p::U::C::T::fr::cR:S:G:w:", long: "fork map-root-user map-current-user mount-proc root= wd= setuid= setgid= propagation= kill-child", input: true},
	{name: "uv", short: "qvn", long: "directory= project= quiet", then: aSub},
	{name: "uv run", short: "p:qvm", long: "with= python= extra= group= env-file= directory= project= package= frozen locked no-sync isolated"},
	{name: "uvx", short: "p:q", long: "from= with= python="},
	{name: "valgrind", short: "qv"},
	{name: "watch", short: "bcCdegn:pq:rtwx", long: "beep color differences errexit chgexit equexit= interval= precise no-title exec no-wrap", then: aText},
	{name: "watchexec", short: "e:w:i:f:d:s:rcnpqv", long: "exts= watch= ignore= filter= shell= restart clear", then: aText},
	{name: "wsl", short: "d:eu:", long: "distribution= user= exec cd=", then: aText, input: true},
	{name: "xargs", short: "0a:d:E:e::I:i::L:l::n:oP:prs:tx", long: "null arg-file= delimiter= eof replace max-lines max-args= open-tty max-procs= interactive no-run-if-empty max-chars= show-limits verbose exit process-slot-var="},
	{name: "xterm", after: "-e"},
	{name: "xvfb-run", short: "ade:f:hln:p:s:w:", long: "auto-servernum error-file= auth-file= listen-tcp server-num= xauth-protocol= server-args= wait="},
	{name: "yarn", long: "cwd= silent", then: aSub},
	{name: "yarn exec"},
	{name: "yarn run"},
}

func wrapperFor(name string) *wrapper {
	i, ok := slices.BinarySearchFunc(wrappers[:], name, func(w wrapper, name string) int { return strings.Compare(w.name, name) })
	if !ok {
		return nil
	}
	return &wrappers[i]
}

// takes says whether a short option takes a value: yes, only glued to it, no, or nobody knows.
func (s *wrapper) takes(letter byte) arity {
	if letter == '-' || '0' <= letter && letter <= '9' && strings.IndexByte(s.short, letter) < 0 {
		return never
	}
	i := strings.IndexByte(s.short, letter)
	switch {
	case i < 0 || letter == ':':
		return perhaps
	case strings.HasPrefix(s.short[i+1:], "::"):
		return glued
	case strings.HasPrefix(s.short[i+1:], ":"):
		return always
	}
	return never
}

// takesLong is takes for a long option.
func (s *wrapper) takesLong(name string) arity {
	for rest := s.long; rest != ""; {
		var option string
		option, rest, _ = strings.Cut(rest, " ")
		switch option {
		case name:
			return never
		case name + "=":
			return always
		}
	}
	return perhaps
}

// arity is whether an option takes the next word.
type arity uint8

const (
	never arity = iota
	always
	glued
	perhaps
)
