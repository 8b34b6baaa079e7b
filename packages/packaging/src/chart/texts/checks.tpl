{{- /*
The schema checks all of this, too. Users can skip the schema, and then these templates are what stands between a
value and the cluster. A message never contains the value.
*/ -}}
{{- define "${chart}.checkBoolean" -}}
{{- if not (kindIs "bool" .value) -}}
{{- fail (printf "%s must be true or false" .path) -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkInteger" -}}
{{- $isNumber := or (kindIs "float64" .value) (kindIs "int64" .value) (kindIs "int" .value) -}}
{{- if not (and $isNumber (regexMatch "^[0-9]{1,6}$" (toString .value))) -}}
{{- fail (printf "%s must be a whole number" .path) -}}
{{- end -}}
{{- if or (lt (int .value) .minimum) (gt (int .value) .maximum) -}}
{{- fail (printf "%s must be a whole number from %d to %d" .path .minimum .maximum) -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkChoice" -}}
{{- if not (has .value .of) -}}
{{- fail (printf "%s must be one of %s" .path (toJson .of)) -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkText" -}}
{{- if not (kindIs "string" .value) -}}
{{- fail (printf "%s must be a text: %s" .path .wanted) -}}
{{- end -}}
{{- if or (gt (len .value) .maxLength) (not (regexMatch .pattern .value)) -}}
{{- fail (printf "%s must be %s" .path .wanted) -}}
{{- end -}}
{{- end }}

{{- /* A list, also when it is empty: nothing else may be taken for no namespaces, which means all of them. */ -}}
{{- define "${chart}.checkTexts" -}}
{{- if not (kindIs "slice" .value) -}}
{{- fail (printf "%s must be a list of %s" .path .wanted) -}}
{{- end -}}
{{- if gt (len .value) 500 -}}
{{- fail (printf "%s must have at most 500 items" .path) -}}
{{- end -}}
{{- range $item := .value -}}
{{- include "${chart}.checkText" (dict "path" $.path "value" $item "pattern" $.pattern "maxLength" $.maxLength "wanted" $.wanted) -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkMap" -}}
{{- if .value -}}
{{- if not (kindIs "map" .value) -}}
{{- fail (printf "%s must be names and values" .path) -}}
{{- end -}}
{{- range $name, $value := .value -}}
{{- include "${chart}.checkText" (dict "path" (printf "a name in %s" $.path) "value" $name "pattern" $.names "maxLength" 317 "wanted" $.wanted) -}}
{{- include "${chart}.checkText" (dict "path" (printf "a value in %s" $.path) "value" $value "pattern" $.pattern "maxLength" $.maxLength "wanted" $.wanted) -}}
{{- range $refused := $.refused -}}
{{- if regexMatch $refused $name -}}
{{- fail (printf "%s must not have %s: the chart sets it, or Helm, a container runtime or a cloud obeys it" $.path $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkObject" -}}
{{- if .value -}}
{{- if not (kindIs "map" .value) -}}
{{- fail (printf "%s must be an object" .path) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkResources" -}}
{{- include "${chart}.checkObject" . -}}
{{- range $field, $quantities := .value -}}
{{- if not (and (has $field (list "limits" "requests")) (kindIs "map" $quantities)) -}}
{{- fail (printf "%s must have only limits and requests, each with quantities" $.path) -}}
{{- end -}}
{{- range $name, $quantity := $quantities -}}
{{- if not (has $name $.names) -}}
{{- fail (printf "%s.%s must have only %s: others are devices" $.path $field (join ", " $.names)) -}}
{{- end -}}
{{- if not (or (kindIs "string" $quantity) (kindIs "float64" $quantity) (kindIs "int64" $quantity)) -}}
{{- fail (printf "%s.%s.%s must be a quantity, such as 64Mi" $.path $field $name) -}}
{{- end -}}
{{- if not (regexMatch "${quantity}" (toString $quantity)) -}}
{{- fail (printf "%s.%s.%s must be a quantity, such as 64Mi" $.path $field $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkObjects" -}}
{{- if .value -}}
{{- if not (kindIs "slice" .value) -}}
{{- fail (printf "%s must be a list of objects" .path) -}}
{{- end -}}
{{- range $item := .value -}}
{{- if not (kindIs "map" $item) -}}
{{- fail (printf "%s must be a list of objects" $.path) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkSecurity" -}}
{{- if .value -}}
{{- if not (kindIs "map" .value) -}}
{{- fail (printf "%s must be an object" .path) -}}
{{- end -}}
{{- range $field, $value := .value -}}
{{- if not (hasKey $.fields $field) -}}
{{- fail (printf "%s cannot have the field %s: no value makes the chart's own less strict" $.path (toJson $field)) -}}
{{- else if ne (toJson $value) (get $.fields $field) -}}
{{- fail (printf "%s.%s must be %s: no value makes the chart's own less strict" $.path $field (get $.fields $field)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkVariableName" -}}
{{- include "${chart}.checkText" (dict "path" (printf "a name in %s" .path) "value" .name "pattern" "${variableName}" "maxLength" 253 "wanted" "the name of a variable") -}}
{{- if or (has .name .refused) (regexMatch "${tokenVariable}" .name) -}}
{{- fail (printf "%s must not contain %s: the chart sets it, or needs it unset" .path .name) -}}
{{- end -}}
{{- end }}

{{- /* Node takes programs and a debugger's port from this variable, too. */ -}}
{{- define "${chart}.checkNodeOptions" -}}
{{- if not (regexMatch "${nodeOptions}" (toString .value)) -}}
{{- fail (printf "NODE_OPTIONS in %s must be --max-old-space-size=MIB" .path) -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkVariables" -}}
{{- include "${chart}.checkObjects" . -}}
{{- $known := dict -}}
{{- range $variable := .value -}}
{{- include "${chart}.checkVariableName" (dict "path" $.path "name" $variable.name "refused" $.refused) -}}
{{- if hasKey $known $variable.name -}}
{{- fail (printf "%s must not contain %s twice" $.path $variable.name) -}}
{{- end -}}
{{- $_ := set $known $variable.name true -}}
{{- if eq $variable.name "NODE_OPTIONS" -}}
{{- include "${chart}.checkNodeOptions" (dict "path" $.path "value" $variable.value) -}}
{{- end -}}
{{- if and (hasKey $variable "value") (hasKey $variable "valueFrom") -}}
{{- fail (printf "%s must have either a value or valueFrom for %s" $.path $variable.name) -}}
{{- end -}}
{{- range $field, $value := $variable -}}
{{- if eq $field "valueFrom" -}}
{{- include "${chart}.checkSource" (dict "path" $.path "value" $value) -}}
{{- else if not (and (has $field (list "name" "value")) (kindIs "string" $value)) -}}
{{- fail (printf "%s must have variables with a name and a value, both texts, or with valueFrom" $.path) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkSource" -}}
{{- $isKnown := false -}}
{{- if kindIs "map" .value -}}
{{- $isKnown = has (keys .value | join ",") (list "secretKeyRef" "configMapKeyRef") -}}
{{- end -}}
{{- if not $isKnown -}}
{{- fail (printf "valueFrom in %s must have either secretKeyRef or configMapKeyRef" .path) -}}
{{- end -}}
{{- range $source := .value -}}
{{- if not (and (kindIs "map" $source) (kindIs "string" $source.name) (kindIs "string" $source.key)) -}}
{{- fail (printf "valueFrom in %s must have a name and a key" $.path) -}}
{{- end -}}
{{- if omit $source "name" "key" "optional" -}}
{{- fail (printf "valueFrom in %s must have only name, key and optional" $.path) -}}
{{- end -}}
{{- if and (hasKey $source "optional") (not (kindIs "bool" $source.optional)) -}}
{{- fail (printf "optional in %s must be true or false" $.path) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkOverrides" -}}
{{- if .value -}}
{{- if not (kindIs "map" .value) -}}
{{- fail (printf "%s must be names and texts" .path) -}}
{{- end -}}
{{- range $name, $value := .value -}}
{{- include "${chart}.checkVariableName" (dict "path" $.path "name" $name "refused" $.refused) -}}
{{- if not (kindIs "string" $value) -}}
{{- fail (printf "%s must be names and texts" $.path) -}}
{{- end -}}
{{- if eq $name "NODE_OPTIONS" -}}
{{- include "${chart}.checkNodeOptions" (dict "path" $.path "value" $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkNames" -}}
{{- include "${chart}.checkObjects" . -}}
{{- range $item := .value -}}
{{- if ne (keys $item | join ",") "name" -}}
{{- fail (printf "%s must be a list of objects with a name" $.path) -}}
{{- end -}}
{{- include "${chart}.checkText" (dict "path" $.path "value" $item.name "pattern" "${objectName}" "maxLength" 253 "wanted" "names of Secrets") -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkImage" -}}
{{- if not (or .image.tag .image.digest) -}}
{{- fail (printf "%s.image must have a tag or a digest" .container) -}}
{{- end -}}
{{- end }}

{{- /* Helm takes any namespace, and any name for a chart that is a part of another one. */ -}}
{{- define "${chart}.checkRelease" -}}
{{- if not (and (regexMatch "^${label}$" .context.Release.Namespace) (le (len .context.Release.Namespace) 63)) -}}
{{- fail "the namespace of the release must be a DNS label" -}}
{{- end -}}
{{- if not (and (regexMatch "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$" .context.Chart.Name) (le (len .context.Chart.Name) 63)) -}}
{{- fail "the chart's own name, or its alias, must be the value of a label: at most 63 of a-z, 0-9 and \"-\"" -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkFullname" -}}
{{- $name := include "${chart}.fullname" .context -}}
{{- if not (regexMatch "^${label}$" $name) -}}
{{- fail "the name that the release gives its objects must be a DNS label: set fullnameOverride" -}}
{{- end -}}
{{- if has $name .taken -}}
{{- fail (printf "objects of the release must not be called %s, as something of Kubernetes is: set fullnameOverride" $name) -}}
{{- end -}}
{{- end }}

{{- /* Fails unless every value is what it may be. */ -}}
{{- define "${chart}.check" -}}
# ${checks}
{{- end }}
