package mcpfile

import "encoding/json"

// sort is what a member holds.
type sort struct {
	wants string // continues "must be"
	takes func(any) bool
}

var (
	aText    = sort{"a string", is[string]}
	aFlag    = sort{"true or false", is[bool]}
	aNumber  = sort{"a number", is[json.Number]}
	texts    = sort{"a list of strings", func(v any) bool { return all[string](v) }}
	textByID = sort{"an object of strings", func(v any) bool { return each[string](v) }}
	signIn   = sort{"true, false or an object", func(v any) bool { return is[bool](v) || is[map[string]any](v) }}
	filter   = sort{"a string or an object of strings", func(v any) bool { return is[string](v) || each[string](v) }}
	reported = sort{"true, false or an object of these", func(v any) bool { return is[bool](v) || each[bool](v) }}
)

// sorts is the members that Copilot 1.0.102 knows, by its schema, and `disabled`, which is in none but kept and obeyed.
var sorts = map[string]sort{
	"args": texts, "auth": signIn, "command": aText, "cwd": aText, "deferTools": aText, "disableSecretMasking": aFlag,
	"disableToolCache": aFlag, "disabled": aFlag, "displayName": aText, "env": textByID, "events": texts,
	"excludeTools": texts, "filterMapping": filter, "headers": textByID, "headersRefreshTtlMs": aNumber,
	"notifications": texts, "oauthClientId": aText, "oauthGrantType": aText, "oauthPublicClient": aFlag,
	"oauthScopes": texts, "oidc": signIn, "safeForTelemetry": reported, "slowConnectionThresholdMs": aNumber,
	"timeout": aNumber, "tools": texts, "type": aText, "url": aText,
}

func is[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func all[T any](v any) bool {
	list, ok := v.([]any)
	for _, e := range list {
		ok = ok && is[T](e)
	}
	return ok
}

func each[T any](v any) bool {
	object, ok := v.(map[string]any)
	for _, e := range object {
		ok = ok && is[T](e)
	}
	return ok
}
