package main

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"sort"
	"strings"

	yamlv2 "gopkg.in/yaml.v2"
	"sigs.k8s.io/yaml"
)

// Where Helm cuts a text into documents: also when more stands behind the dashes.
var separator = regexp.MustCompile(`(?m)^---[ \t]*`)

// The objects in the texts, in the order of their paths. Stricter than Helm in three points: a key that
// stands twice, two documents in what Helm takes for one, and an object that stands twice are refused here.
func documentsOf(texts map[string]string) ([]document, *refusal) {
	out := []document{}
	seen := map[string]string{}
	for _, path := range sortedKeys(texts) {
		for _, text := range separator.Split(strings.TrimSpace(texts[path]), -1) {
			object, problem := objectOf(path, text)
			if problem != nil {
				return nil, problem
			}
			if object == nil {
				continue
			}
			id, problem := identityOf(path, object)
			if problem != nil {
				return nil, problem
			}
			if first, twice := seen[id]; twice {
				return nil, refuse("manifest", "%s: %s stands in %s already", path, id, first)
			}
			seen[id] = path
			out = append(out, document{Path: path, Object: object})
		}
	}
	return out, nil
}

func objectOf(path, text string) (json.RawMessage, *refusal) {
	if count := countDocuments(text); count > 1 {
		return nil, refuse("manifest", "%s: more stands behind the end of a document, which Helm would drop", path)
	}
	converted, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return nil, refuse("manifest", "YAML parse error on %s: %v", path, err)
	}
	if bytes.Equal(bytes.TrimSpace(converted), []byte("null")) {
		return nil, nil
	}
	return converted, nil
}

// What ends a document before the next one begins.
var ending = regexp.MustCompile(`(?m)^\.\.\.`)

func countDocuments(text string) int {
	if !ending.MatchString(text) {
		return 1
	}
	decoder := yamlv2.NewDecoder(strings.NewReader(text))
	for count := 0; ; count++ {
		var any interface{}
		if err := decoder.Decode(&any); err == io.EOF {
			return count
		} else if err != nil {
			// Of the first document, what is wrong is told by the one that converts it.
			return count + 1
		}
	}
}

func identityOf(path string, object json.RawMessage) (string, *refusal) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(object, &head); err != nil {
		return "", refuse("manifest", "%s: no object of Kubernetes: %v", path, err)
	}
	switch {
	case head.APIVersion == "":
		return "", refuse("manifest", "%s: apiVersion not set", path)
	case head.Kind == "":
		return "", refuse("manifest", "%s: kind not set", path)
	case head.Metadata.Name == "":
		return "", refuse("manifest", "%s: a %s without a name", path, head.Kind)
	}
	group := strings.Split(head.APIVersion, "/")[0]
	return strings.Join([]string{group, head.Kind, head.Metadata.Namespace, head.Metadata.Name}, " "), nil
}

func sortedKeys(texts map[string]string) []string {
	keys := []string{}
	for key := range texts {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
