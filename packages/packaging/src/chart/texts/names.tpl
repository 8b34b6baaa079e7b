{{- define "${chart}.name" -}}
{{- default .Chart.Name .Values.nameOverride -}}
{{- end }}

{{- /*
The name of all objects: at most 52 characters, because names of Pods add eleven. A longer one ends in a hash, so that
two long names that begin alike stay different.
*/ -}}
{{- define "${chart}.fullname" -}}
{{- $name := include "${chart}.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- $full = .Values.fullnameOverride | default $full | replace "." "-" -}}
{{- if gt (len $full) 52 -}}
{{- $full = printf "%s-%s" ($full | trunc 43 | trimAll "-") ($full | sha256sum | trunc 8) -}}
{{- end -}}
{{- $full -}}
{{- end }}

{{- /* No value changes them: the selector of a Deployment is never changed by an upgrade. */ -}}
{{- define "${chart}.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "${chart}.ownLabels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | replace "+" "_" | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service | quote }}
app.kubernetes.io/part-of: {{ .Chart.Name | quote }}
{{- end }}

{{- define "${chart}.labels" -}}
{{ include "${chart}.selectorLabels" . }}
{{ include "${chart}.ownLabels" . }}
{{- end }}

{{- define "${chart}.image" -}}
{{- .repository -}}
{{- if .tag }}:{{ .tag }}{{ end -}}
{{- if .digest }}@{{ .digest }}{{ end -}}
{{- end }}

{{- /* Sidecars are stable from Kubernetes 1.33. */ -}}
{{- define "${chart}.isNativeSidecar" -}}
{{- if kindIs "bool" .Values.nativeSidecar -}}
{{- .Values.nativeSidecar -}}
{{- else -}}
{{- semverCompare ">=1.33.0-0" .Capabilities.KubeVersion.Version -}}
{{- end -}}
{{- end }}

{{- /* The variables of values, as a list. Those of envOverrides win. */ -}}
{{- define "${chart}.env" -}}
{{- $overrides := default (dict) .Values.manager.envOverrides -}}
{{- $variables := list -}}
{{- range $variable := .Values.manager.env -}}
{{- if not (hasKey $overrides $variable.name) -}}
{{- $variables = append $variables (pick $variable "name" "value" "valueFrom") -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := $overrides -}}
{{- $variables = append $variables (dict "name" $name "value" $value) -}}
{{- end -}}
{{- toYaml $variables -}}
{{- end }}

{{- /* Where the API server is, for the NetworkPolicy. */ -}}
{{- define "${chart}.apiServer" -}}
{{- range $block := .Values.networkPolicy.apiServer }}
- ipBlock:
    cidr: {{ $block | quote }}
{{- end }}
{{- end }}
