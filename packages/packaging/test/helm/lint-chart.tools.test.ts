/**
 * The rules of `helm lint` and `ct lint`, each on a chart that breaks it.
 *
 * @module-tag go
 * @module-tag yamllint
 */
import { expect, test } from 'vitest';
import { lintAsCt } from './lint-as-ct.ts';
import { lintChart } from './lint-chart.ts';
import { smallChart } from './small-chart.ts';

const CHART = [
  'apiVersion: v2',
  'name: small',
  'version: 0.1.0',
  'appVersion: "1.2.0"',
  'icon: https://small.example/icon.svg',
  'maintainers:',
  '  - name: Eve',
  '    email: eve@small.example',
  '',
].join('\n');
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: small\n';
const GOOD = {
  'Chart.yaml': CHART,
  'values.yaml': '# How many.\ncount: 1\n',
  'templates/service.yaml': SERVICE,
  'templates/NOTES.txt': 'Installed.\n',
};

test('the linter finds nothing in a good chart', async () => {
  expect(await lintChart(smallChart(GOOD))).toEqual([]);
  expect(await lintAsCt(smallChart(GOOD))).toEqual([]);
});

const DEPLOYMENT = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: small}\nspec: {}\n';
const KEPT = 'metadata: {name: a, annotations: {helm.sh/resource-policy: keep}}';

test.each([
  ['error', 'no templates/x', { 'templates/x.json': '' }, 'file extension not valid'],
  [
    'error',
    'a number as appVersion',
    { 'Chart.yaml': CHART.replace('"1.2.0"', '1.2') },
    'appVersion',
  ],
  ['warning', 'a short version', { 'Chart.yaml': CHART.replace('0.1.0', "'0.1'") }, 'SemVerV2'],
  ['warning', 'an unknown key', { 'Chart.yaml': `${CHART}colour: red\n` }, 'unknown field colour'],
  ['error', 'an invalid address', { 'Chart.yaml': CHART.replace('eve@', 'eve ') }, 'email'],
  ['error', 'an icon without a URL', { 'Chart.yaml': CHART.replace('https://', '') }, 'icon URL'],
  ['info', 'no icon', { 'Chart.yaml': CHART.replace(/icon.*\n/, '') }, 'icon is recommended'],
  ['error', 'a source without a URL', { 'Chart.yaml': `${CHART}sources: [here]\n` }, 'source URL'],
  [
    'warning',
    'an indent',
    { 'templates/service.yaml': `\n  # indented\n${SERVICE}` },
    'illegal indent',
  ],
  ['error', 'no YAML', { 'templates/a.yaml': 'a: [\n' }, 'YAML parse error'],
  ['error', 'no selector', { 'templates/a.yaml': DEPLOYMENT }, 'matchLabels'],
  [
    'warning',
    'a name of a Service with a dot',
    { 'templates/service.yaml': SERVICE.replace('name: small', 'name: small.one') },
    'naming requirements',
  ],
  [
    'warning',
    'a removed API',
    { 'templates/a.yaml': 'apiVersion: policy/v1beta1\nkind: A\nmetadata: {name: a}\n' },
    'deprecated',
  ],
  [
    'error',
    'a List with an object to keep',
    {
      'templates/a.yaml': `apiVersion: v1\nkind: List\nmetadata: {name: a}\nitems:\n- {apiVersion: v1, kind: A, ${KEPT}}\n`,
    },
    'within List',
  ],
  [
    'error',
    "values that the chart's schema refuses",
    { 'values.schema.json': '{"type": "object", "properties": {"count": {"type": "string"}}}' },
    'schema: count: must be string',
  ],
] as const)('helm lint reports, with level %s: %s', async (severity, _what, files, message) => {
  const findings = await lintChart(smallChart({ ...GOOD, ...files }));

  expect(findings).toEqual([expect.objectContaining({ severity })]);
  expect(findings[0]?.message).toContain(message);
});

test.each([
  ['no maintainers', { 'Chart.yaml': CHART.replace(/maintainers:[\s\S]*/, '') }, /maintainers/],
  ['a key that ct does not know', { 'Chart.yaml': `${CHART}colour: red\n` }, /colour/],
  ['an annotation that is not text', { 'Chart.yaml': `${CHART}annotations:\n  a: 1\n` }, /string/],
  ['no space before a comment', { 'values.yaml': 'count: 1 # near\n' }, /comments/],
  ['a key twice', { 'ci/other-values.yaml': 'count: 1\ncount: 2\n' }, /key-duplicates/],
  ['the value yes in place of true', { 'values.yaml': 'count: yes\n' }, /truthy/],
  ['no newline at the end', { 'values.yaml': 'count: 1' }, /new-line-at-end-of-file/],
  [
    'values for CI that the templates cannot take',
    { 'ci/other-values.yaml': 'count: {}\n', 'templates/a.yaml': '{{ add1 .Values.count.x.y }}' },
    /nil pointer/,
  ],
])('ct lint reports: %s', async (_what, files, message) => {
  const findings = await lintAsCt(smallChart({ ...GOOD, ...files }));

  expect(findings.map((each) => each.message).join('\n')).toMatch(message);
});
