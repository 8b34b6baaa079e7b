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

{{- define "${chart}.checkTexts" -}}
{{- if .value -}}
{{- if not (kindIs "slice" .value) -}}
{{- fail (printf "%s must be a list of %s" .path .wanted) -}}
{{- end -}}
{{- if gt (len .value) 500 -}}
{{- fail (printf "%s must have at most 500 items" .path) -}}
{{- end -}}
{{- range $item := .value -}}
{{- include "${chart}.checkText" (merge (dict "value" $item) $) -}}
{{- end -}}
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
{{- fail (printf "%s must be %s" $.path $.wanted) -}}
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
{{- if .fields -}}
{{- range $name, $value := .value -}}
{{- if not (and (has $name $.fields) (kindIs "map" $value)) -}}
{{- fail (printf "%s must have only %s, each with quantities" $.path (join " and " $.fields)) -}}
{{- end -}}
{{- range $quantity := $value -}}
{{- if or (kindIs "map" $quantity) (kindIs "slice" $quantity) (kindIs "bool" $quantity) -}}
{{- fail (printf "%s must have quantities, such as 64Mi" $.path) -}}
{{- end -}}
{{- end -}}
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
{{- if eq $field "seLinuxOptions" -}}
{{- if not (and (kindIs "map" $value) (eq (keys $value | join ",") "level")) -}}
{{- fail (printf "%s.seLinuxOptions must have only a level" $.path) -}}
{{- end -}}
{{- include "${chart}.checkText" (dict "path" (printf "%s.seLinuxOptions.level" $.path) "value" $value.level "pattern" $.level "maxLength" 253 "wanted" "a level of SELinux, such as s0:c1,c2") -}}
{{- else if not (hasKey $.fields $field) -}}
{{- fail (printf "%s cannot have the field %s: no value makes the chart's own less strict" $.path (toJson $field)) -}}
{{- else if ne (toJson $value) (get $.fields $field) -}}
{{- fail (printf "%s.%s must be %s: no value makes the chart's own less strict" $.path $field (get $.fields $field)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkVariableName" -}}
{{- include "${chart}.checkText" (dict "path" (printf "a name in %s" .path) "value" .name "pattern" "${variableName}" "maxLength" 253 "wanted" "the name of a variable") -}}
{{- if has .name .refused -}}
{{- fail (printf "%s must not contain %s: the chart sets it, or needs it unset" .path .name) -}}
{{- end -}}
{{- end }}

{{- define "${chart}.checkVariables" -}}
{{- include "${chart}.checkObjects" . -}}
{{- range $variable := .value -}}
{{- include "${chart}.checkVariableName" (dict "path" $.path "name" $variable.name "refused" $.refused) -}}
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

{{- /* Fails unless every value is what it may be. */ -}}
{{- define "${chart}.check" -}}
# ${checks}
{{- end }}
