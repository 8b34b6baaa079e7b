package main

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// The regular expressions of a JSON schema that Go does not read, and so Helm neither.
func patternProblems(schema []byte) []string {
	problems := []string{}
	if len(schema) == 0 {
		return problems
	}
	var parsed interface{}
	if err := json.Unmarshal(schema, &parsed); err != nil {
		return append(problems, fmt.Sprintf("values.schema.json: %v", err))
	}
	check := func(pattern string) {
		if _, err := regexp.Compile(pattern); err != nil {
			problems = append(problems, fmt.Sprintf("values.schema.json: %v", err))
		}
	}
	var visit func(node interface{})
	visit = func(node interface{}) {
		switch each := node.(type) {
		case []interface{}:
			for _, item := range each {
				visit(item)
			}
		case map[string]interface{}:
			if pattern, ok := each["pattern"].(string); ok {
				check(pattern)
			}
			if patterns, ok := each["patternProperties"].(map[string]interface{}); ok {
				for pattern := range patterns {
					check(pattern)
				}
			}
			for _, item := range each {
				visit(item)
			}
		}
	}
	visit(parsed)
	return problems
}
