package main

import (
	"fmt"
	"path"
	"strings"
)

type ignoreRule struct {
	pattern  string
	negated  bool
	dirsOnly bool
	anchored bool // has a slash that is not its last character
}

type ignoreRules []ignoreRule

// .helmignore: like .gitignore, but the last rule does not win, the first that ignores does, `**` is an
// error, and a folder that is ignored takes everything in it along.
func parseIgnore(text string) (ignoreRules, error) {
	rules := ignoreRules{{pattern: "templates/.?*", anchored: true}}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.Contains(line, "**") {
			return nil, fmt.Errorf("double-star (**) syntax is not supported")
		}
		rule := ignoreRule{pattern: line}
		if strings.HasPrefix(rule.pattern, "!") {
			rule.negated, rule.pattern = true, rule.pattern[1:]
		}
		if strings.HasSuffix(rule.pattern, "/") {
			rule.dirsOnly, rule.pattern = true, strings.TrimSuffix(rule.pattern, "/")
		}
		rule.anchored = strings.Contains(rule.pattern, "/")
		rule.pattern = strings.TrimPrefix(rule.pattern, "/")
		if _, err := path.Match(rule.pattern, "x"); err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func (rules ignoreRules) matches(name string) bool {
	parts := strings.Split(name, "/")
	for count := 1; count <= len(parts); count++ {
		if rules.ignores(strings.Join(parts[:count], "/"), count < len(parts)) {
			return true
		}
	}
	return false
}

func (rules ignoreRules) ignores(name string, isFolder bool) bool {
	for _, rule := range rules {
		subject := name
		if !rule.anchored {
			subject = path.Base(name)
		}
		matched, _ := path.Match(rule.pattern, subject)
		if rule.negated {
			if rule.dirsOnly && !isFolder {
				return true
			}
			if !matched {
				return true
			}
			continue
		}
		if matched && (isFolder || !rule.dirsOnly) {
			return true
		}
	}
	return false
}
