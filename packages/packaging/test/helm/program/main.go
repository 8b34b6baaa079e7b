// Program program renders a Helm chart as `helm template` does, with Go's own templates and sprig, and
// Helm's functions and objects as Helm's documentation describes them. It is not Helm: it reads no charts
// inside a chart, and reaches no cluster and no registry. A chart can be rendered as the only dependency of
// an empty one.
//
// Reads one JSON document from stdin, a chart and any number of renders of it, and writes one to stdout.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
)

// Where a render was refused.
type refusal struct {
	Layer   string `json:"layer"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Layer + ": " + r.Message }

func refuse(layer, format string, args ...interface{}) *refusal {
	return &refusal{Layer: layer, Message: fmt.Sprintf(format, args...)}
}

// One `helm template`.
type request struct {
	Release     string   `json:"release"`
	Namespace   string   `json:"namespace"`
	Values      []string `json:"values"` // YAML texts, as files of `--values`: later ones win.
	KubeVersion string   `json:"kubeVersion"`
	APIVersions []string `json:"apiVersions"`
	IsUpgrade   bool     `json:"isUpgrade"`
	// The name under which another chart has this one as a dependency: values are the other chart's.
	Subchart string `json:"subchart"`
	Lint     bool   `json:"lint"` // `required` and `fail` let everything pass, as in `helm lint`.
}

type input struct {
	Files    map[string]string `json:"files"`
	Requests []request         `json:"requests"`
}

type document struct {
	Path   string          `json:"path"`
	Object json.RawMessage `json:"object"`
}

type render struct {
	Refusal   *refusal               `json:"refusal,omitempty"`
	Values    map[string]interface{} `json:"values"` // null when they could not be made
	Files     map[string]string      `json:"files,omitempty"`
	Notes     string                 `json:"notes,omitempty"`
	Documents []document             `json:"documents,omitempty"`
}

type output struct {
	// What makes the chart itself unusable; then there are no renders.
	Refusal *refusal `json:"refusal,omitempty"`
	// What is wrong with the regular expressions of values.schema.json.
	SchemaProblems []string `json:"schemaProblems"`
	Renders        []render `json:"renders"`
}

func main() {
	debug.SetGCPercent(400) // it lives for seconds
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fmt.Fprintln(os.Stderr, "cannot read the request:", err)
		os.Exit(2)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer(in)); err != nil {
		fmt.Fprintln(os.Stderr, "cannot write the answer:", err)
		os.Exit(2)
	}
}

func answer(in input) output {
	out := output{SchemaProblems: []string{}, Renders: []render{}}
	chart, problem := loadChart(in.Files)
	if problem != nil {
		out.Refusal = problem
		return out
	}
	out.SchemaProblems = patternProblems(chart.schema)
	for _, each := range in.Requests {
		out.Renders = append(out.Renders, renderOne(chart, each))
	}
	return out
}

// In Helm's order: name, version of Kubernetes, values, templates, documents. The schema is checked by
// the caller of this program, who gets the values for it even when a template fails.
func renderOne(chart *chart, req request) (result render) {
	if problem := checkRelease(req); problem != nil {
		return render{Refusal: problem}
	}
	caps, problem := capabilitiesOf(chart, req)
	if problem != nil {
		return render{Refusal: problem}
	}
	values, problem := valuesOf(chart, req)
	if problem != nil {
		return render{Refusal: problem}
	}
	chart = chart.asSubchart(req.Subchart)
	result.Values = copyMap(values)
	files, problem := execute(chart, req, caps, values)
	if problem != nil {
		result.Refusal = problem
		return result
	}
	result.Notes = files[notesPath]
	delete(files, notesPath)
	result.Files = files
	result.Documents, result.Refusal = documentsOf(files)
	return result
}
