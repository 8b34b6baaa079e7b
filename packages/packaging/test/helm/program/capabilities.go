package main

import (
	"regexp"
	"strings"

	"github.com/Masterminds/semver"
)

const defaultKubeVersion = "v1.33.0"

var (
	releaseName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
	kubeNumbers = regexp.MustCompile(`^v?(\d+)\.(\d+)(\.\d+)?(.*)$`)
)

// Enough for charts that ask; `--api-versions` adds others.
var builtInVersions = []string{
	"v1", "admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apps/v1", "authentication.k8s.io/v1",
	"authorization.k8s.io/v1", "autoscaling/v1", "autoscaling/v2", "batch/v1", "certificates.k8s.io/v1",
	"coordination.k8s.io/v1", "discovery.k8s.io/v1", "events.k8s.io/v1", "networking.k8s.io/v1", "node.k8s.io/v1",
	"policy/v1", "rbac.authorization.k8s.io/v1", "scheduling.k8s.io/v1", "storage.k8s.io/v1",
}

type versionSet []string

func (set versionSet) Has(version string) bool {
	for _, each := range set {
		if each == version {
			return true
		}
	}
	return false
}

// With what a provider appends, such as `v1.31.2-eks-7f9249a`: constraints see it too, as a prerelease.
type kubeVersion struct{ Version, Major, Minor string }

func (v *kubeVersion) String() string     { return v.Version }
func (v *kubeVersion) GitVersion() string { return v.Version }

type helmVersion struct{ Version, GitCommit, GitTreeState, GoVersion string }

type capabilities struct {
	KubeVersion kubeVersion
	APIVersions versionSet
	HelmVersion helmVersion
}

func checkRelease(req request) *refusal {
	if len(req.Release) > 53 || !releaseName.MatchString(req.Release) {
		return refuse("release", "%q is no name of a release: at most 53 characters of %s", req.Release, releaseName)
	}
	return nil
}

func capabilitiesOf(c *chart, req request) (*capabilities, *refusal) {
	version := req.KubeVersion
	if version == "" {
		version = defaultKubeVersion
	}
	numbers := kubeNumbers.FindStringSubmatch(version)
	if numbers == nil {
		return nil, refuse("kubeVersion", "%q is no version of Kubernetes", version)
	}
	if numbers[3] == "" {
		numbers[3] = ".0"
	}
	full := "v" + numbers[1] + "." + numbers[2] + numbers[3] + numbers[4]
	if constraint := c.metadata.KubeVersion; constraint != "" && !isCompatible(constraint, full) {
		return nil, refuse("kubeVersion", "chart requires kubeVersion: %s which is incompatible with Kubernetes %s", constraint, full)
	}
	return &capabilities{
		KubeVersion: kubeVersion{Version: full, Major: numbers[1], Minor: numbers[2]},
		APIVersions: append(append(versionSet{}, builtInVersions...), req.APIVersions...),
		HelmVersion: helmVersion{Version: "v3.18.0", GoVersion: "go1.24.0"},
	}, nil
}

func isCompatible(constraint, version string) bool {
	parsed, err := semver.NewVersion(strings.TrimPrefix(version, "v"))
	if err != nil {
		return false
	}
	range_, err := semver.NewConstraint(constraint)
	return err == nil && range_.Check(parsed)
}
