package main

import (
	"encoding/base64"
	"path"
	"regexp"
	"strings"
)

// What templates see as .Files: all files of the chart but templates, values and Chart.yaml.
type files map[string][]byte

func (f files) GetBytes(name string) []byte {
	if text, ok := f[name]; ok {
		return text
	}
	return []byte{}
}

func (f files) Get(name string) string { return string(f.GetBytes(name)) }

func (f files) Glob(pattern string) files {
	matching := globPattern(pattern)
	out := files{}
	for name, text := range f {
		if matching.MatchString(name) {
			out[name] = text
		}
	}
	return out
}

func (f files) AsConfig() string {
	out := map[string]string{}
	for name, text := range f {
		out[path.Base(name)] = string(text)
	}
	return toYaml(out)
}

func (f files) AsSecrets() string {
	out := map[string]string{}
	for name, text := range f {
		out[path.Base(name)] = base64.StdEncoding.EncodeToString(text)
	}
	return toYaml(out)
}

func (f files) Lines(name string) []string {
	if len(f[name]) == 0 {
		return []string{}
	}
	return strings.Split(strings.TrimSuffix(string(f[name]), "\n"), "\n")
}

var globTokens = regexp.MustCompile(`\*\*|\*|\?|\{[^}]*\}|\[!?[^\]]+\]|[^*?{\[]+|.`)

// `*` and `?` stay within a folder, `**` does not; `{a,b}` is one of them.
func globPattern(pattern string) *regexp.Regexp {
	var out strings.Builder
	out.WriteString("^")
	for _, token := range globTokens.FindAllString(pattern, -1) {
		switch {
		case token == "**":
			out.WriteString(".*")
		case token == "*":
			out.WriteString("[^/]*")
		case token == "?":
			out.WriteString("[^/]")
		case len(token) > 1 && token[0] == '{':
			names := strings.Split(token[1:len(token)-1], ",")
			for at, name := range names {
				names[at] = regexp.QuoteMeta(name)
			}
			out.WriteString("(?:" + strings.Join(names, "|") + ")")
		case len(token) > 1 && token[0] == '[':
			out.WriteString(strings.Replace(token, "[!", "[^", 1))
		default:
			out.WriteString(regexp.QuoteMeta(token))
		}
	}
	out.WriteString("$")
	compiled, err := regexp.Compile(out.String())
	if err != nil {
		return regexp.MustCompile(".*") // Helm takes a pattern that it cannot read for `**`
	}
	return compiled
}
