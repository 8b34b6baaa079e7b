{{- /* Where the operator works. */ -}}
{{- define "${chart}.scope" -}}
{{- if .Values.watch.namespaces -}}
listed
{{- else if .Values.rbac.namespaced -}}
namespaced
{{- else -}}
cluster-scoped
{{- end -}}
{{- end }}

{{- /* The namespaces of the scope `listed`, with commas between them. */ -}}
{{- define "${chart}.watched" -}}
{{- .Values.watch.namespaces | uniq | sortAlpha | join "," -}}
{{- end }}

{{- /* The same as alternatives of a path in the filter. A DNS label has no character that means more there. */ -}}
{{- define "${chart}.watchedPattern" -}}
{{- $names := .Values.watch.namespaces | uniq | sortAlpha -}}
{{- ternary (first $names) (printf "(%s)" (join "|" $names)) (eq (len $names) 1) -}}
{{- end }}
