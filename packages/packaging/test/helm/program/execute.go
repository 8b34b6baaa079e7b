package main

import (
	"path"
	"sort"
	"strings"
	"text/template"
)

// Values as templates see them: with the methods of Helm's type.
type tableOfValues map[string]interface{}

func (t tableOfValues) AsMap() map[string]interface{} { return t }
func (t tableOfValues) YAML() (string, error)         { return toYaml(map[string]interface{}(t)), nil }

// Runs all templates but partials. Returns their texts by path.
func execute(c *chart, req request, caps *capabilities, values map[string]interface{}) (map[string]string, *refusal) {
	parsed, problem := c.parse()
	if problem != nil {
		return nil, problem
	}
	root, err := parsed.Clone()
	if err != nil {
		return nil, refuse("template", "%v", err)
	}
	root.Option("missingkey=zero").Funcs(functionsFor(root, req.Lint))
	out := map[string]string{}
	for _, each := range templatePaths(c) {
		if strings.HasPrefix(path.Base(each), "_") {
			continue
		}
		var text strings.Builder
		if err := root.ExecuteTemplate(&text, each, scopeOf(c, req, caps, values, each)); err != nil {
			return nil, refuse("template", "%s: %s", each, messageOf(err))
		}
		// A value that is not there is nothing, though Go writes two words for it.
		out[strings.TrimPrefix(each, c.root())] = strings.ReplaceAll(text.String(), "<no value>", "")
	}
	return out, nil
}

// All templates of the chart, parsed once for all renders.
func (c *chart) parse() (*template.Template, *refusal) {
	if known, ok := c.parsed[c.root()]; ok {
		return known, nil
	}
	root := template.New("gotpl")
	root.Funcs(functionsFor(root, false))
	for _, each := range templatePaths(c) {
		if _, err := root.New(each).Parse(c.templates[strings.TrimPrefix(each, c.root())]); err != nil {
			return nil, refuse("template", "%v", err)
		}
	}
	c.parsed[c.root()] = root
	return root, nil
}

func scopeOf(c *chart, req request, caps *capabilities, values map[string]interface{}, name string) map[string]interface{} {
	return map[string]interface{}{
		"Chart":        c.metadata,
		"Capabilities": caps,
		"Files":        c.files,
		"Subcharts":    map[string]interface{}{},
		"Values":       tableOfValues(values),
		"Release": map[string]interface{}{
			"Name": req.Release, "Namespace": req.Namespace, "Service": "Helm",
			"IsUpgrade": req.IsUpgrade, "IsInstall": !req.IsUpgrade, "Revision": 1,
		},
		"Template": map[string]interface{}{"Name": name, "BasePath": c.root() + "templates"},
	}
}

// Deep ones first, so that of two definitions of one name the one that lies higher wins.
func templatePaths(c *chart) []string {
	paths := []string{}
	for each := range c.templates {
		paths = append(paths, c.root()+each)
	}
	sort.Slice(paths, func(a, b int) bool {
		depthA, depthB := strings.Count(paths[a], "/"), strings.Count(paths[b], "/")
		if depthA != depthB {
			return depthA > depthB
		}
		return paths[a] > paths[b]
	})
	return paths
}
