/**
 * What Helm's documentation says of templates, values and files, shown on charts made for one fact each.
 *
 * @module-tag go
 */
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { isRefused, type RenderOptions, renderChart, renderOnce } from './render-chart.ts';
import { chartOf, smallChart } from './small-chart.ts';

/** The data of the ConfigMap that a chart made by `chartOf` renders. */
async function dataOf(
  chart: Parameters<typeof renderOnce>[0],
  options: RenderOptions = {},
): Promise<unknown> {
  const { objects } = await renderOnce(chart, options);
  const configMap: (KubernetesObject & { readonly data?: unknown }) | undefined = objects[0];
  return configMap?.data;
}

/** Layer and message of each refused result; undefined where it was rendered. */
async function refusals(
  chart: Parameters<typeof renderChart>[0],
  options: readonly RenderOptions[] = [{}],
): Promise<readonly (readonly [string, string] | undefined)[]> {
  const results = await renderChart(chart, options);
  return results.map((each) => (isRefused(each) ? [each.layer, each.message] : undefined));
}

test('templates have access to the release, the chart, the cluster and the names of the templates', async () => {
  const chart = chartOf({
    release:
      '{{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.Service }} {{ .Release.IsUpgrade }}',
    chart: '{{ .Chart.Name }}-{{ .Chart.Version }} {{ .Chart.AppVersion }}',
    cluster: '{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.KubeVersion.Minor | int }}',
    apis: '{{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.APIVersions.Has "a.example/v1" }}',
    template: '{{ .Template.Name }} {{ .Template.BasePath }}',
  });

  const data = await dataOf(chart, {
    release: 'blue',
    namespace: 'team',
    kubeVersion: '1.31',
    apiVersions: ['a.example/v1'],
    isUpgrade: true,
  });

  expect(data).toEqual({
    release: 'blue team Helm true',
    chart: 'small-0.1.0 1.2.0',
    cluster: 'v1.31.0 31',
    apis: 'true true',
    template: 'small/templates/config.yaml small/templates',
  });
});

test('templates can use the functions that Helm adds to the functions of sprig', async () => {
  const chart = chartOf(
    {
      toYaml: '{{ .Values.table | toYaml | quote }}',
      toYamlPretty: '{{ .Values.table | toYamlPretty | quote }}',
      fromYaml: '{{ (fromYaml "a: {b: 7}").a.b | quote }}',
      fromYamlError: '{{ hasKey (fromYaml "{") "Error" | quote }}',
      fromYamlArray: '{{ fromYamlArray "[x, z]" | last }}',
      toJson: '{{ .Values.table | toJson | quote }}',
      fromJson: '{{ (fromJson `{"a":"z"}`).a }}',
      fromJsonArray: '{{ fromJsonArray `["x"]` | first }}',
      lookup: '{{ lookup "v1" "Secret" "a" "b" | toJson | quote }}',
      include: '{{ include "small.greet" . | upper }}',
      tpl: '{{ tpl .Values.text . }}',
      tplDefines: '{{ tpl `{{ define "x" }}in{{ end }}{{ include "x" . }}` . }}',
      required: '{{ required "a name" .Values.name }}',
      nothing: '<{{ .Values.missing }}>',
    },
    {
      'templates/_greet.tpl': '{{ define "small.greet" }}hello {{ .Values.name }}{{ end }}',
      'values.yaml': 'name: eve\ntext: "{{ .Values.name }}!"\ntable: {b: [1, "1"], a: "yes"}\n',
    },
  );

  expect(await dataOf(chart)).toEqual({
    toYaml: 'a: "yes"\nb:\n- 1\n- "1"',
    toYamlPretty: 'a: "yes"\nb:\n  - 1\n  - "1"',
    fromYaml: '7',
    fromYamlError: 'true',
    fromYamlArray: 'z',
    toJson: '{"a":"yes","b":[1,"1"]}',
    fromJson: 'z',
    fromJsonArray: 'x',
    lookup: '{}',
    include: 'HELLO EVE',
    tpl: 'eve!',
    tplDefines: 'in',
    required: 'eve',
    nothing: '<>',
  });
});

test('templates have no access to the environment or the network', async () => {
  expect(await refusals(chartOf({ a: '{{ env "PATH" }}' }))).toEqual([
    ['template', expect.stringContaining('function "env" not defined')],
  ]);
  expect(await refusals(chartOf({ a: '{{ expandenv "$PATH" }}' }))).toEqual([
    ['template', expect.stringContaining('function "expandenv" not defined')],
  ]);
  expect(await dataOf(chartOf({ a: '{{ getHostByName "localhost" | quote }}' }))).toEqual({
    a: '',
  });
});

test('values of the user override values of the chart, and null removes a value', async () => {
  const chart = chartOf(
    { all: '{{ .Values | toJson | quote }}' },
    { 'values.yaml': 'table: {a: 1, b: {c: 2, d: 3}}\nlist: [1, 2]\ntext: t\n' },
  );
  const each: readonly RenderOptions[] = [
    {},
    { values: { table: { b: { d: 4 } }, list: [3] } },
    { values: { table: { b: null }, text: null, unknown: null } },
    { values: { table: 'scalar' } },
    { values: ['table: {a: 5}', { table: { b: { c: 6 } } }, 'table: {a: 7}'] },
  ];

  const results = await renderChart(chart, each);

  expect(results.map((result) => (isRefused(result) ? result : result.values))).toEqual([
    { table: { a: 1, b: { c: 2, d: 3 } }, list: [1, 2], text: 't' },
    { table: { a: 1, b: { c: 2, d: 4 } }, list: [3], text: 't' },
    { table: { a: 1 }, list: [1, 2], unknown: null },
    { table: 'scalar', list: [1, 2], text: 't' },
    { table: { a: 7, b: { c: 6, d: 3 } }, list: [1, 2], text: 't' },
  ]);
});

test('values are read as YAML 1.1, and numbers become floating-point numbers', async () => {
  const chart = chartOf({
    large: '{{ .Values.large }}',
    asYaml: '{{ .Values.large | toYaml | quote }}',
    asInt: '{{ .Values.large | int | quote }}',
    kind: '{{ kindOf .Values.yes }}',
    binary: '{{ .Values.binary | quote }}',
  });

  const data = await dataOf(chart, {
    values: 'large: 12345678\n"yes": yes\nbinary: !!binary aGVsbG8=\n',
  });

  expect(data).toEqual({
    large: 12345678,
    asYaml: '12345678',
    asInt: '12345678',
    kind: 'bool',
    binary: 'hello',
  });
  const { files } = await renderOnce(chart, { values: 'large: 12345678' });
  expect(files['templates/config.yaml']).toContain('"large": 1.2345678e+07');
});

test("templates can read the chart's files, except files that Helm reserves or that .helmignore lists", async () => {
  const chart = chartOf(
    {
      get: '{{ .Files.Get "files/a.txt" | quote }}',
      missing: '{{ .Files.Get "files/none" | quote }}',
      glob: '{{ range $path, $_ := .Files.Glob "files/**.txt" }}{{ $path }} {{ end }}',
      flat: '{{ range $path, $_ := .Files.Glob "files/*.{txt,md}" }}{{ $path }} {{ end }}',
      lines: '{{ .Files.Lines "files/a.txt" | join "|" | quote }}',
      config: '{{ (.Files.Glob "files/deep/*").AsConfig | quote }}',
      secrets: '{{ (.Files.Glob "files/deep/*").AsSecrets | quote }}',
      own: '{{ print (.Files.Get "Chart.yaml") (.Files.Get "templates/config.yaml") | quote }}',
      ignored: '{{ print (.Files.Get "files/a.tmp") (.Files.Get "private/key") | quote }}',
    },
    {
      'files/a.txt': 'one\n{{ two }}\n',
      'files/deep/b.txt': 'b\n',
      'files/c.md': 'c',
      'files/a.tmp': 'secret',
      'private/key': 'secret',
      '.helmignore': '# comment\n*.tmp\n/private/\n',
      'templates/.hidden.yaml': 'no: object',
    },
  );

  expect(await dataOf(chart)).toEqual({
    get: 'one\n{{ two }}\n',
    missing: '',
    glob: 'files/a.txt files/deep/b.txt',
    flat: 'files/a.txt files/c.md',
    lines: 'one|{{ two }}',
    config: 'b.txt: |\n  b',
    secrets: 'b.txt: Ygo=',
    own: '',
    ignored: '',
  });
});

test('NOTES.txt and hooks are not objects of the release', async () => {
  const job = (name: string, annotation: string): string =>
    `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: ${name}\n  annotations: {${annotation}}\n`;
  const chart = smallChart({
    'templates/NOTES.txt': 'Installed as {{ .Release.Name }}.\n',
    'templates/tests/ready.yaml': job('ready', '"helm.sh/hook": test'),
    'templates/jobs.yaml': `${job('first', 'a: b')}---\n# nothing but a comment\n--- # cut here\n${job('second', 'a: b')}`,
    'templates/empty.yaml': '{{- if .Values.never }}\na: b\n{{- end }}\n',
  });

  const { objects, hooks, notes } = await renderOnce(chart);

  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['first', 'second']);
  expect(hooks.map(({ metadata }) => metadata.name)).toEqual(['ready']);
  expect(notes).toBe('Installed as demo.\n');
});

test('the error contains the message that a chart passes to `fail` or `required`', async () => {
  const chart = chartOf(
    {
      a: '{{ if .Values.bad }}{{ include "small.refuse" . }}{{ end }}',
      b: '{{ required "name is needed" .Values.name | quote }}',
    },
    {
      'templates/_refuse.tpl':
        '{{ define "small.refuse" }}{{ fail (printf "bad: %s" .Values.bad) }}{{ end }}',
    },
  );

  expect(
    await refusals(chart, [
      { values: { bad: 'x', name: 'n' } },
      { values: { name: '' } },
      { values: { bad: 'x' }, lint: true },
      { values: { name: 'n' } },
    ]),
  ).toEqual([
    ['template', 'small/templates/config.yaml: bad: x'],
    ['template', 'small/templates/config.yaml: name is needed'],
    undefined,
    undefined,
  ]);
});

test('an invalid release name or Kubernetes version is refused before rendering', async () => {
  const chart = chartOf(
    { a: '{{ fail "rendered" }}' },
    {
      'Chart.yaml': 'apiVersion: v2\nname: small\nversion: 0.1.0\nkubeVersion: ">=1.30.0"\n',
    },
  );

  const results = await refusals(chart, [
    { release: 'Upper' },
    { release: 'a'.repeat(54) },
    { release: '' },
    { kubeVersion: '1.29.9' },
    { kubeVersion: '1.31.2-eks-7f9249a' },
    { kubeVersion: 'new' },
    { kubeVersion: '1.30.0', release: 'a'.repeat(53) },
  ]);

  expect(results.map((each) => each?.[0])).toEqual([
    'release',
    'release',
    'release',
    'kubeVersion',
    'kubeVersion',
    'kubeVersion',
    'template',
  ]);
});

test.each([
  ['no YAML', 'a: [', /YAML parse error on templates\/x\.yaml/],
  ['a key twice', 'apiVersion: v1\nkind: A\nmetadata: {name: a, name: b}', /already set in map/],
  ['no kind', 'apiVersion: v1\nmetadata: {name: a}', /kind not set/],
  ['no name', 'apiVersion: v1\nkind: A\nmetadata: {}', /A without a name/],
  ['a string', 'only text', /no object of Kubernetes/],
  [
    'a document end marker',
    'apiVersion: v1\nkind: A\nmetadata: {name: a}\n...\nb: c',
    /behind the end of a document/,
  ],
  [
    'the same object twice',
    'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: A\nmetadata: {name: a}',
    /stands in templates\/x\.yaml already/,
  ],
])('a template that renders %s is refused', async (_what, text, message) => {
  expect(await refusals(smallChart({ 'templates/x.yaml': text }))).toEqual([
    ['manifest', expect.stringMatching(message)],
  ]);
});

test('values.schema.json refuses invalid values and invalid defaults with all reasons, unless the validation is skipped', async () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: false,
    properties: {
      count: { type: 'integer', minimum: 1 },
      name: { type: 'string', pattern: '^[a-z]+$' },
    },
  };
  const chart = chartOf(
    { a: '{{ .Values | toJson | quote }}' },
    {
      'values.yaml': 'count: 1\n',
      'values.schema.json': JSON.stringify(schema),
    },
  );

  const results = await refusals(chart, [
    { values: { count: 2, name: 'a' } },
    { values: { count: 0, name: 'A' } },
    { values: { other: 1 } },
    { values: { other: 1 }, skipSchema: true },
  ]);

  expect(results).toEqual([
    undefined,
    ['schema', expect.stringMatching(/^count: must be >= 1 .*\nname: must match pattern/)],
    ['schema', expect.stringContaining('(root): must NOT have additional properties')],
    undefined,
  ]);
});

test('if Go cannot parse a regular expression in the schema, all values are refused', async () => {
  const chart = chartOf(
    { a: 'b' },
    {
      'values.schema.json':
        '{"type": "object", "properties": {"a": {"type": "string", "pattern": "^(?!x)"}}}',
    },
  );

  expect(await refusals(chart)).toEqual([
    ['schema', expect.stringContaining('invalid or unsupported Perl syntax')],
  ]);
});

test.each([
  ['no name', 'apiVersion: v2\nversion: 0.1.0\n'],
  ['an invalid version', 'apiVersion: v2\nname: small\nversion: one\n'],
  ['no apiVersion', 'name: small\nversion: 0.1.0\n'],
  ['a library', 'apiVersion: v2\nname: small\nversion: 0.1.0\ntype: library\n'],
])('a Chart.yaml with %s is refused', async (_what, text) => {
  expect(await refusals(smallChart({ 'Chart.yaml': text }))).toEqual([
    ['chart', expect.any(String)],
  ]);
});
