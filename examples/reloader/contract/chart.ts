/**
 * Values of the chart of the original → arguments and environment variables of this operator.
 *
 * The table is complete for what the chart passes to the program. Values that only shape manifests, such as
 * `reloader.service`, are named, and belong to the overlay. Defects of the chart are not repeated: a webhook needs
 * no custom annotations, a selector has no quotes of its own, several replicas elect a leader with all that needs,
 * and `ignoreSecrets` with `ignoreConfigMaps` is refused with a reason.
 */
import { ConfigurationError } from 'chancery';
import type { coreV1 } from 'chancery/kubernetes';
import { CHART_ROWS, type ChartContext, type ChartRow, MANIFEST_VALUES } from './chart-rows.ts';

/** What the container of the operator is given. */
export interface ChartResult {
  /** Arguments, after `--`. */
  readonly args: readonly string[];
  readonly environment: readonly coreV1.EnvVar[];
  /** Sentences about values that do nothing, or belong to the overlay. */
  readonly warnings: readonly string[];
}

/**
 * The arguments and variables for the values of a chart, as parsed from YAML. Values that are left out, null or
 * empty have the default of the chart, and give no argument.
 *
 * @param context - namespace and name of the release; the operator is deployed there under this name.
 * @throws ConfigurationError `CONFIG` that names a value of the wrong type, or values that exclude each other.
 */
export function chartArguments(values: unknown, context: ChartContext): ChartResult {
  const leaves = leavesOf(values);
  const result = CHART_ROWS.map((row) => row.give((path) => leaves.get(path), context));
  return {
    args: result.flatMap(({ args = [] }) => args),
    environment: result.flatMap(({ environment = [] }) => environment),
    warnings: [
      ...result.flatMap(({ warnings = [] }) => warnings),
      ...[...leaves.keys()].flatMap((path) => warningOf(path, leaves.get(path))),
    ],
  };
}

/** The table of all values in Markdown, for the README: a header, and a line for each thing that values become. */
export function chartTable(): string {
  const rows = CHART_ROWS.map(({ values, gives }) => ({ values, gives }));
  for (const { value, where } of MANIFEST_VALUES) {
    const known = rows.findIndex(({ gives }) => gives === where);
    const values = [...(rows[known]?.values ?? []), value];
    rows.splice(known === -1 ? rows.length : known, known === -1 ? 0 : 1, { values, gives: where });
  }
  const lines = rows.map(({ values, gives }) => {
    const names = values.map(code).join(', ');
    return `| ${names === '' ? 'name and namespace of the release' : names} | ${gives} |`;
  });
  return ['| value of the chart | here |', '|---|---|', ...lines, ''].join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Paths whose maps have names of users as keys: a row reads them as a whole. */
const WHOLE: readonly string[] = ['open', 'secret', 'field', 'existing'].map(
  (each) => `reloader.deployment.env.${each}`,
);

const MAX_DEPTH = 20;

/** Path → value. Maps are entered, lists and the maps of `WHOLE` are not; empty ones are left out. */
function leavesOf(values: unknown): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  const enter = (value: unknown, path: string, depth: number): void => {
    if (value === null || value === undefined) return;
    const isMap = typeof value === 'object' && !Array.isArray(value);
    if (!isMap || WHOLE.includes(path) || depth === MAX_DEPTH || isOfManifest(path)) {
      leaves.set(path, value);
      return;
    }
    for (const [name, each] of Object.entries(value)) {
      enter(each, path === '' ? name : `${path}.${name}`, depth + 1);
    }
  };
  if (
    values !== null &&
    values !== undefined &&
    (typeof values !== 'object' || Array.isArray(values))
  ) {
    throw new ConfigurationError('the values of a chart must be a map');
  }
  enter(values, '', 0);
  return leaves;
}

function isOfManifest(path: string): boolean {
  return MANIFEST_VALUES.some(({ value }) => value === path || value === `${path}.*`);
}

function warningOf(path: string, value: unknown): string[] {
  if (CHART_ROWS.some((row: ChartRow) => row.values.includes(path))) return [];
  const manifest = MANIFEST_VALUES.find(
    ({ value: known }) => known === path || known === `${path}.*`,
  );
  if (manifest === undefined) return [`${path} is no value of the chart`];
  return isEmpty(value) ? [] : [`${path} changes no argument: ${manifest.where}`];
}

/** As `empty` of Helm: false, 0, and empty texts, lists and maps. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === '' || value === false || value === 0;
}
