package main

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// The chart's default values under those of the user. Numbers are float64, as everywhere in Helm.
func valuesOf(c *chart, req request) (map[string]interface{}, *refusal) {
	values := map[string]interface{}{}
	for _, text := range req.Values {
		parsed, err := readTable([]byte(text))
		if err != nil {
			return nil, refuse("values", "%v", err)
		}
		values = merged(values, parsed)
	}
	defaults, err := readTable(c.defaults)
	if err != nil {
		return nil, refuse("chart", "cannot load values.yaml: %v", err)
	}
	if req.Subchart != "" {
		own, problem := valuesOfSubchart(values, req.Subchart)
		if problem != nil {
			return nil, problem
		}
		values = own
	}
	coalesce(values, defaults, true)
	return values, nil
}

// What a dependency sees of the values of its parent: those under its name, and the global ones.
func valuesOfSubchart(parent map[string]interface{}, name string) (map[string]interface{}, *refusal) {
	own := map[string]interface{}{}
	if given, ok := parent[name]; ok {
		table, isTable := given.(map[string]interface{})
		if !isTable {
			return nil, refuse("values", "type mismatch on %s: %v", name, given)
		}
		own = copyMap(table)
	}
	above, hasAbove := parent["global"].(map[string]interface{})
	if _, given := parent["global"]; given && !hasAbove {
		return own, nil
	}
	below, hasBelow := own["global"].(map[string]interface{})
	if _, given := own["global"]; given && !hasBelow {
		return own, nil
	}
	if below == nil {
		below = map[string]interface{}{}
	}
	own["global"] = merged(below, above)
	return own, nil
}

func readTable(text []byte) (map[string]interface{}, error) {
	table := map[string]interface{}{}
	if err := yaml.Unmarshal(text, &table); err != nil {
		return nil, err
	}
	if table == nil {
		table = map[string]interface{}{}
	}
	return table, nil
}

// Two files of values: the second wins, tables merge. A null stays: it removes a default later.
func merged(first, second map[string]interface{}) map[string]interface{} {
	out := copyMap(first)
	for key, value := range second {
		table, isTable := value.(map[string]interface{})
		existing, hasTable := out[key].(map[string]interface{})
		if isTable && hasTable {
			out[key] = merged(existing, table)
		} else {
			out[key] = value
		}
	}
	return out
}

// Adds to the user's values what only the chart has. The user's null removes a default; a null for which
// the chart has no default stays in tables and at the top.
func coalesce(user, defaults map[string]interface{}, isTop bool) {
	for key, fallback := range defaults {
		value, given := user[key]
		fallbackTable, isTable := fallback.(map[string]interface{})
		valueTable, givenTable := value.(map[string]interface{})
		switch {
		case !given:
			user[key] = fallback
		case value == nil && (isTop || fallback != nil):
			delete(user, key)
		case isTable && givenTable:
			coalesce(valueTable, fallbackTable, false)
		}
	}
}

func copyMap(source map[string]interface{}) map[string]interface{} {
	text, err := json.Marshal(source)
	if err != nil {
		panic(err) // it came from YAML, and is JSON
	}
	out := map[string]interface{}{}
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}
