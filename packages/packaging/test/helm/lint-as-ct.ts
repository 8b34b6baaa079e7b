/**
 * What `ct lint` does with its stock schema and settings, but for the accounts of maintainers and the version in
 * the target branch, which need a network and a repository. YAML is read by the real yamllint.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { parseYaml } from '../../../../operator/core/yaml.ts';
import { pathOf } from '../../../../test/tools/tools.ts';
import { type LintFinding, lintChart } from './lint-chart.ts';
import { type Chart, filesOf } from './render-chart.ts';

/** Empty when `ct lint` passes. */
export async function lintAsCt(chart: Chart): Promise<readonly LintFinding[]> {
  const files = filesOf(chart);
  const valuesFiles = Object.keys(files).filter((path) => /^ci\/.*-values\.yaml$/.test(path));
  const values = valuesFiles.length === 0 ? [{}] : valuesFiles.map((path) => files[path] ?? '');
  const linted = await Promise.all(values.map((each) => lintChart(chart, { values: each })));
  return [
    ...schemaFindings(files['Chart.yaml'] ?? ''),
    ...yamlFindings(files, ['Chart.yaml', 'values.yaml', ...valuesFiles]),
    ...linted.flat().filter(({ severity }) => severity !== 'info'),
  ];
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const record = (required: readonly string[], properties: object): object => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const flag = { type: 'boolean' };
const dependency = record(['name', 'version'], {
  ...{ name: text, version: text, repository: text, condition: text, tags: texts, alias: text },
  ...{ enabled: flag, 'import-values': { type: 'array' } },
});
const isChartFile = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(
  record(['name', 'version', 'apiVersion', 'maintainers'], {
    ...{ name: text, home: text, version: text, apiVersion: text, description: text, icon: text },
    ...{ engine: text, condition: text, tags: text, kubeVersion: text, type: text },
    appVersion: { type: ['string', 'number'] },
    ...{ keywords: texts, sources: texts, deprecated: flag },
    maintainers: {
      type: 'array',
      minItems: 1,
      items: record(['name'], { name: text, email: text, url: text }),
    },
    dependencies: { type: 'array', items: dependency },
    annotations: { type: 'object', additionalProperties: text },
  }),
);

function schemaFindings(chartFile: string): readonly LintFinding[] {
  if (isChartFile(parseYaml(chartFile))) return [];
  return (isChartFile.errors ?? []).map(({ instancePath, message = '', params }) => ({
    severity: 'error',
    path: 'Chart.yaml',
    message: `${instancePath} ${message} ${JSON.stringify(params)}`,
  }));
}

const ONE_INSIDE = { 'min-spaces-inside': 0, 'max-spaces-inside': 0 };
const EMPTY = { 'min-spaces-inside-empty': -1, 'max-spaces-inside-empty': -1 };
/** The settings that ct gives yamllint. */
const YAMLLINT = {
  rules: {
    braces: { ...ONE_INSIDE, ...EMPTY },
    brackets: { ...ONE_INSIDE, ...EMPTY },
    colons: { 'max-spaces-before': 0, 'max-spaces-after': 1 },
    commas: { 'max-spaces-before': 0, 'min-spaces-after': 1, 'max-spaces-after': 1 },
    comments: { 'require-starting-space': true, 'min-spaces-from-content': 2 },
    'document-end': 'disable',
    'document-start': 'disable',
    'empty-lines': { max: 2, 'max-start': 0, 'max-end': 0 },
    hyphens: { 'max-spaces-after': 1 },
    indentation: {
      spaces: 'consistent',
      'indent-sequences': 'whatever',
      'check-multi-line-strings': false,
    },
    'key-duplicates': 'enable',
    'line-length': 'disable',
    'new-line-at-end-of-file': 'enable',
    'new-lines': { type: 'unix' },
    'trailing-spaces': 'enable',
    truthy: { level: 'warning' },
  },
};

function yamlFindings(
  files: Readonly<Record<string, string>>,
  paths: readonly string[],
): readonly LintFinding[] {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-yamllint-'));
  try {
    const there = paths.filter((path) => files[path] !== undefined);
    for (const path of there) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), files[path] ?? '');
    }
    const settings = ['--format', 'parsable', '-d', JSON.stringify(YAMLLINT)];
    const { status, stdout, stderr } = spawnSync(pathOf('yamllint'), [...settings, ...there], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0 && status !== 1) throw new Error(`yamllint: ${stderr}`);
    return [...stdout.matchAll(/^([^:]+):(\d+:\d+: \[(error|warning)\] .*)$/gm)].map(
      ([, path = '', message = '', severity]) => ({
        severity: severity === 'error' ? 'error' : 'warning',
        path,
        message,
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
