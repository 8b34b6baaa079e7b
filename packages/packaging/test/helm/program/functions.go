package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
	sigsyaml "sigs.k8s.io/yaml"
)

// More than this many `include` within each other are an endless loop.
const deepestInclude = 1000

// Sprig's functions without those that read the environment or the network, and Helm's own. Not here:
// toToml and fromToml; a template that uses them does not parse.
func functionsFor(parent *template.Template, isLint bool) template.FuncMap {
	all := sprig.TxtFuncMap()
	delete(all, "env")
	delete(all, "expandenv")
	all["getHostByName"] = func(string) string { return "" }
	all["lookup"] = func(_, _, _, _ string) (map[string]interface{}, error) {
		return map[string]interface{}{}, nil
	}
	addFormats(all)
	addRefusals(all, isLint)
	addTemplates(all, parent, map[string]int{})
	return all
}

func addFormats(all template.FuncMap) {
	all["toYaml"] = toYaml
	all["toYamlPretty"] = toYamlPretty
	all["mustToYaml"] = func(value interface{}) (string, error) {
		text, err := sigsyaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	all["toJson"] = func(value interface{}) string {
		text, _ := json.Marshal(value)
		return string(text)
	}
	all["mustToJson"] = func(value interface{}) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	}
	all["fromYaml"] = func(text string) map[string]interface{} {
		return tableFrom(text, func(text []byte, into interface{}) error { return sigsyaml.Unmarshal(text, into) })
	}
	all["fromJson"] = func(text string) map[string]interface{} { return tableFrom(text, json.Unmarshal) }
	all["fromYamlArray"] = func(text string) []interface{} {
		return listFrom(text, func(text []byte, into interface{}) error { return sigsyaml.Unmarshal(text, into) })
	}
	all["fromJsonArray"] = func(text string) []interface{} { return listFrom(text, json.Unmarshal) }
}

func addRefusals(all template.FuncMap, isLint bool) {
	all["required"] = func(message string, value interface{}) (interface{}, error) {
		if value != nil && value != "" {
			return value, nil
		}
		if isLint {
			return "", nil
		}
		return nil, &said{message}
	}
	all["fail"] = func(message string) (string, error) {
		if isLint {
			return "", nil
		}
		return "", &said{message}
	}
}

// `include` and `tpl` know the templates of the one that they stand in.
func addTemplates(all template.FuncMap, parent *template.Template, depths map[string]int) {
	all["include"] = func(name string, data interface{}) (string, error) {
		if depths[name] > deepestInclude {
			return "", fmt.Errorf("%s includes itself without an end", name)
		}
		depths[name]++
		defer func() { depths[name]-- }()
		var out strings.Builder
		err := parent.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all["tpl"] = func(text string, data interface{}) (string, error) {
		clone, err := parent.Clone()
		if err != nil {
			return "", err
		}
		inner := template.FuncMap{}
		addTemplates(inner, clone, depths)
		clone.Option("missingkey=zero").Funcs(inner)
		parsed, err := clone.New(parent.Name()).Parse(text)
		if err != nil {
			return "", fmt.Errorf("cannot parse template %q: %w", text, err)
		}
		var out strings.Builder
		if err := parsed.Execute(&out, data); err != nil {
			return "", err
		}
		return strings.ReplaceAll(out.String(), "<no value>", ""), nil
	}
}

// What a chart says with `fail` or `required`.
type said struct{ message string }

func (s *said) Error() string { return s.message }

func messageOf(err error) string {
	var chartSaid *said
	if errors.As(err, &chartSaid) {
		return chartSaid.message
	}
	return err.Error()
}

func toYaml(value interface{}) string {
	text, err := sigsyaml.Marshal(value)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(text), "\n")
}

// With the items of lists indented.
func toYamlPretty(value interface{}) string {
	var out strings.Builder
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if encoder.Encode(value) != nil {
		return ""
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func tableFrom(text string, unmarshal func([]byte, interface{}) error) map[string]interface{} {
	out := map[string]interface{}{}
	if err := unmarshal([]byte(text), &out); err != nil {
		out["Error"] = err.Error()
	}
	return out
}

func listFrom(text string, unmarshal func([]byte, interface{}) error) []interface{} {
	out := []interface{}{}
	if err := unmarshal([]byte(text), &out); err != nil {
		out = []interface{}{err.Error()}
	}
	return out
}
