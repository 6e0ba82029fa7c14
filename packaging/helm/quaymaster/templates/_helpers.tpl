{{- define "quaymaster.fullname" -}}
{{- printf "%s-%s" .Release.Name (default .Chart.Name .Values.nameOverride) | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "quaymaster.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "quaymaster.labels" -}}
{{ include "quaymaster.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "quaymaster.queueManager" -}}
{{- .Values.queueManager.name | default (.Release.Name | replace "-" "") -}}
{{- end -}}

{{- /* IBM's values.yaml says web.enabled, its templates web.enable. */ -}}
{{- define "quaymaster.hasWeb" -}}
{{- if not (or (eq (toString .Values.web.enable) "false") (eq (toString .Values.web.enabled) "false")) }}true{{ end -}}
{{- end -}}

{{- /* Files of config maps and secrets that are mounted into /etc/mqm one by one. */ -}}
{{- define "quaymaster.dropIns" -}}
{{- $found := list -}}
{{- range $list := list (list "mqsc-config" "configMap" .Values.queueManager.mqscConfigMaps) (list "mqsc-secret" "secret" .Values.queueManager.mqscSecrets) (list "ini-config" "configMap" .Values.queueManager.qminiConfigMaps) (list "ini-secret" "secret" .Values.queueManager.qminiSecrets) -}}
{{- range $index, $source := index $list 2 -}}
{{- $found = append $found (dict "volume" (printf "%s-%d" (index $list 0) $index) "kind" (index $list 1) "name" $source.name "items" $source.items) -}}
{{- end -}}
{{- end -}}
{{- toJson $found -}}
{{- end -}}

{{- define "quaymaster.port" -}}
{{- if eq . "qmgr" }}- { name: qmgr, port: 1414, targetPort: qmgr }{{ else }}- { name: console-https, port: 9443, targetPort: console-https }{{ end -}}
{{- end -}}
