/**
 * Charts as Helm would render them, without Helm: Go's own templates, sprig, and Helm's functions and objects
 * in `program/`; values.schema.json is checked by ajv. See `program/main.go` for what it leaves out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { askProgram } from './program.ts';
import { schemaProblems } from './values-schema.ts';

/** The folder of a chart, or its files. */
export type Chart = string | readonly { readonly path: string; readonly text: string }[];

/** The options of one `helm template`. */
export interface RenderOptions {
  /** Default: `demo`. */
  readonly release?: string;
  /** Default: `default`. */
  readonly namespace?: string;
  /** As files of `--values`: later ones win. Texts are YAML. */
  readonly values?: Values | readonly Values[];
  /** Default: 1.33.0. */
  readonly kubeVersion?: string;
  /** Besides those that every cluster has. */
  readonly apiVersions?: readonly string[];
  readonly isUpgrade?: boolean;
  /** The name under which another chart has this one as its dependency. `values` are the other chart's. */
  readonly subchart?: string;
  /** As `--skip-schema-validation`. */
  readonly skipSchema?: boolean;
  /** `fail` and `required` let everything pass, as in `helm lint`. */
  readonly lint?: boolean;
}

export type Values = object | string;

/** A rendered chart. */
export interface Rendered {
  /** What `helm install` applies, in the order of their files. */
  readonly objects: readonly KubernetesObject[];
  /** Objects with the annotation `helm.sh/hook`, such as those of `helm test`: no part of the release. */
  readonly hooks: readonly KubernetesObject[];
  readonly notes: string;
  /** The values of the user over those of the chart. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Texts of the rendered templates by path, such as `templates/deployment.yaml`. */
  readonly files: Readonly<Record<string, string>>;
}

/** Why a chart was not rendered. */
export interface Refused {
  readonly layer:
    | 'chart'
    | 'release'
    | 'kubeVersion'
    | 'values'
    | 'schema'
    | 'template'
    | 'manifest';
  readonly message: string;
}

export type RenderResult = Rendered | Refused;

interface Answer {
  readonly refusal?: Refused;
  readonly schemaProblems: readonly string[];
  readonly renders: readonly {
    readonly refusal?: Refused;
    readonly values: Readonly<Record<string, unknown>> | null;
    readonly files?: Readonly<Record<string, string>>;
    readonly notes?: string;
    readonly documents?: readonly { readonly path: string; readonly object: KubernetesObject }[];
  }[];
}

/** Renders a chart once for each of `options`, in one process. Results have the order of `options`. */
export async function renderChart(
  chart: Chart,
  options: readonly RenderOptions[],
): Promise<readonly RenderResult[]> {
  const files = filesOf(chart);
  const answer = (await askProgram({ files, requests: options.map(requestOf) })) as Answer;
  const { refusal } = answer;
  if (refusal !== undefined) return options.map(() => refusal);
  const judge = schemaProblems(files['values.schema.json'], answer.schemaProblems);
  return answer.renders.map((each, at) => {
    const problems = each.values === null || options[at]?.skipSchema ? [] : judge(each.values);
    if (problems.length > 0) return { layer: 'schema', message: problems.join('\n') };
    if (each.refusal !== undefined) return each.refusal;
    const objects = (each.documents ?? []).map(({ object }) => object);
    return {
      objects: objects.filter((object) => !isHook(object)),
      hooks: objects.filter(isHook),
      notes: each.notes ?? '',
      values: each.values ?? {},
      files: each.files ?? {},
    };
  });
}

/**
 * Renders a chart once.
 *
 * @throws Error when it is refused.
 */
export async function renderOnce(chart: Chart, options: RenderOptions = {}): Promise<Rendered> {
  const [result] = await renderChart(chart, [options]);
  if (result === undefined) throw new Error('the program left out the render');
  return rendered(result);
}

/**
 * The result, when it is a rendered chart.
 *
 * @throws Error with the reason when it is not.
 */
export function rendered(result: RenderResult): Rendered {
  if (isRefused(result))
    throw new Error(`the chart was refused by ${result.layer}: ${result.message}`);
  return result;
}

export function isRefused(result: RenderResult): result is Refused {
  return 'layer' in result;
}

/** The files of a chart by path. */
export function filesOf(chart: Chart): Readonly<Record<string, string>> {
  if (typeof chart !== 'string')
    return Object.fromEntries(chart.map(({ path, text }) => [path, text]));
  const paths = readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(chart, sep).length));
  return Object.fromEntries(
    paths.map((path) => [path.replaceAll(sep, '/'), readFileSync(join(chart, path), 'utf8')]),
  );
}

function isHook({ metadata }: KubernetesObject): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined;
}

function requestOf(options: RenderOptions): object {
  const { values = [], ...others } = options;
  const texts = (Array.isArray(values) ? values : [values]).map((each: Values) =>
    typeof each === 'string' ? each : JSON.stringify(each),
  );
  return { release: 'demo', namespace: 'default', ...others, values: texts };
}
