package main

import (
	"path"
	"strings"
	"text/template"

	"github.com/Masterminds/semver"
	"sigs.k8s.io/yaml"
)

const notesPath = "templates/NOTES.txt"

type maintainer struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
	URL   string `json:"url,omitempty"`
}

// What templates see as .Chart: the fields of Chart.yaml, with Go's names.
type metadata struct {
	Name         string                   `json:"name,omitempty"`
	Home         string                   `json:"home,omitempty"`
	Sources      []string                 `json:"sources,omitempty"`
	Version      string                   `json:"version,omitempty"`
	Description  string                   `json:"description,omitempty"`
	Keywords     []string                 `json:"keywords,omitempty"`
	Maintainers  []*maintainer            `json:"maintainers,omitempty"`
	Icon         string                   `json:"icon,omitempty"`
	APIVersion   string                   `json:"apiVersion,omitempty"`
	Condition    string                   `json:"condition,omitempty"`
	Tags         string                   `json:"tags,omitempty"`
	AppVersion   string                   `json:"appVersion,omitempty"`
	Deprecated   bool                     `json:"deprecated,omitempty"`
	Annotations  map[string]string        `json:"annotations,omitempty"`
	KubeVersion  string                   `json:"kubeVersion,omitempty"`
	Dependencies []map[string]interface{} `json:"dependencies,omitempty"`
	Type         string                   `json:"type,omitempty"`
	IsRoot       bool                     `json:"-"`
}

type chart struct {
	metadata  metadata
	defaults  []byte
	schema    []byte
	templates map[string]string
	parent    string // empty, or the folder of the chart that has this one as a dependency
	files     files
	parsed    map[string]*template.Template // by what paths begin with
}

func loadChart(all map[string]string) (*chart, *refusal) {
	ignored, err := parseIgnore(all[".helmignore"])
	if err != nil {
		return nil, refuse("chart", ".helmignore: %v", err)
	}
	c := &chart{templates: map[string]string{}, files: files{}, parsed: map[string]*template.Template{}}
	for name, text := range all {
		if name != ".helmignore" && ignored.matches(name) {
			continue
		}
		switch {
		case name == "Chart.yaml":
			if err := yaml.Unmarshal([]byte(text), &c.metadata); err != nil {
				return nil, refuse("chart", "cannot load Chart.yaml: %v", err)
			}
		case name == "values.yaml":
			c.defaults = []byte(text)
		case name == "values.schema.json":
			c.schema = []byte(text)
		case strings.HasPrefix(name, "templates/"):
			c.templates[name] = text
		case strings.HasPrefix(name, "charts/"):
			return nil, refuse("chart", "%s: this renderer takes no charts inside a chart", name)
		default:
			c.files[name] = []byte(text)
		}
	}
	c.metadata.IsRoot = true
	return c, checkMetadata(c.metadata)
}

// The chart as the dependency of another one, which gives it its name.
func (c *chart) asSubchart(name string) *chart {
	if name == "" {
		return c
	}
	out := *c
	out.metadata.Name = name
	out.metadata.IsRoot = false
	out.parent = "parent/charts/"
	return &out
}

// What paths of templates begin with.
func (c *chart) root() string { return c.parent + c.metadata.Name + "/" }

func checkMetadata(m metadata) *refusal {
	switch {
	case m.APIVersion == "":
		return refuse("chart", "Chart.yaml: apiVersion is required")
	case m.Name == "" || m.Name != path.Base(m.Name):
		return refuse("chart", "Chart.yaml: name %q is not usable", m.Name)
	case m.Type != "" && m.Type != "application":
		return refuse("chart", "Chart.yaml: charts of type %q cannot be installed", m.Type)
	case len(m.Dependencies) > 0:
		return refuse("chart", "Chart.yaml: this renderer takes no dependencies")
	}
	if _, err := semver.NewVersion(m.Version); err != nil {
		return refuse("chart", "Chart.yaml: version %q: %v", m.Version, err)
	}
	for _, each := range m.Maintainers {
		if each == nil {
			return refuse("chart", "Chart.yaml: a maintainer is empty")
		}
	}
	return nil
}
