/** What hostile values do to a chart: rendered objects compared with what the chart renders without them. */
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { guaranteesOf, type PodSpec, podSpecOf } from '../bundle/guarantees.ts';
import { weaknesses } from '../bundle/weaknesses.ts';
import { type Chart, isRefused, type Rendered, renderChart } from './render-chart.ts';
import { type Place, schemaAt } from './schema-places.ts';

type Json = Readonly<Record<string, unknown>>;

/** What must not have happened, and by which value. */
export interface Damage {
  readonly path: string;
  readonly value: unknown;
  readonly what: string;
}

export interface Outcome {
  readonly damages: readonly Damage[];
  /** Paths where a text came out unchanged in some object. */
  readonly kept: ReadonlySet<string>;
  readonly refusedCount: number;
}

/** Puts each value at its place, without the schema. The chart's templates alone have to hold. */
export async function attack(
  chart: Chart,
  places: readonly Place[],
  valuesAt: (place: Place) => readonly unknown[],
  expected: ReadonlySet<string>,
): Promise<Outcome> {
  const tries = places.flatMap((place) =>
    valuesAt(place).map((value) => ({ path: place.path, place, value })),
  );
  const results = await renderChart(
    chart,
    tries.map(({ place, value }) => ({ values: place.put(value) as object, skipSchema: true })),
  );
  const damages: Damage[] = [];
  const kept = new Set<string>();
  let refusedCount = 0;
  for (const [at, result] of results.entries()) {
    const { path, value } = tries[at] ?? { path: '', value: undefined };
    if (isRefused(result)) {
      refusedCount++;
      // A text that makes the YAML invalid was written as it is. Helm's toYaml does that with the key `<<`.
      const isMergeKey = value === '<<' && result.message.includes('map merge requires');
      const isBroken = result.layer === 'manifest' && typeof value === 'string' && !isMergeKey;
      if (isBroken) damages.push({ path, value, what: result.message });
      continue;
    }
    const what = harmIn(result, expected);
    if (what !== undefined) damages.push({ path, value, what });
    if (typeof value === 'string' && texts(result.objects).has(value)) kept.add(path);
  }
  return { damages, kept, refusedCount };
}

/** Why a rendered chart is not one of those that are expected; undefined when it is one of them. */
export function harmIn(result: Rendered, expected: ReadonlySet<string>): string | undefined {
  const weak = weaknessesOf(result);
  if (weak.length > 0) return `weaker: ${weak.join(', ')}`;
  const outside = selectedByNone(result.objects);
  if (outside !== undefined) return outside;
  const found = signatureOf(result);
  return expected.has(found) ? undefined : `another rendering: ${found}`;
}

/** All that values must not decide on their own, as one text. */
export function signatureOf({ objects, hooks }: Rendered): string {
  return JSON.stringify({
    guarantees: guaranteesOf(objects),
    objects: objects.map(identityOf).sort(),
    hooks: hooks.map(identityOf).sort(),
    selectors: objects.map(selectorOf).sort(),
  });
}

/** Weaknesses of the operator's Pod, and of those of hooks. */
export function weaknessesOf({ objects, hooks }: Rendered): readonly string[] {
  const pods = hooks.filter((object): object is PodObject => object.kind === 'Pod');
  return [podSpecOf(objects), ...pods.map(({ spec }) => spec)].flatMap(weaknesses);
}

interface PodObject extends KubernetesObject {
  readonly spec: PodSpec;
}

function identityOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  return [apiVersion, kind, metadata.namespace ?? '', metadata.name].join(' ');
}

function selectorOf(object: KubernetesObject): string {
  const { kind, spec = {} } = object as KubernetesObject & { readonly spec?: Json };
  return `${kind} ${JSON.stringify(spec.selector ?? spec.podSelector ?? null)}`;
}

/** A Deployment whose selector does not fit its own Pods is refused by every cluster. */
function selectedByNone(objects: readonly KubernetesObject[]): string | undefined {
  const { spec } = objects.find(({ kind }) => kind === 'Deployment') as KubernetesObject & {
    readonly spec: {
      readonly selector: { readonly matchLabels: Json };
      readonly template: Template;
    };
  };
  const labels = spec.template.metadata?.labels ?? {};
  const wrong = Object.entries(spec.selector.matchLabels).find(
    ([key, value]) => labels[key] !== value,
  );
  return wrong === undefined ? undefined : `the selector does not fit the Pods: ${wrong.join('=')}`;
}

interface Template {
  readonly metadata?: { readonly labels?: Json };
}

/** Every text in `value`, keys included. */
function texts(value: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value === 'string') found.add(value);
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, each] of Object.entries(value)) {
    found.add(key);
    texts(each, found);
  }
  return found;
}

/** Texts that choose: names of objects and of namespaces, and what a policy of the network needs. */
const CHOOSING_TEXTS: ReadonlySet<string> = new Set([
  'nameOverride',
  'fullnameOverride',
  'watch.namespaces',
  'networkPolicy.apiServer',
]);

/** The values that may choose something: flags, words of a list, and few texts. All others are left out. */
export function choicesIn(value: unknown, schema: unknown, root: Json, path: string = ''): unknown {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { $ref, type, enum: options, properties } = schema as Json;
  if (typeof $ref === 'string') return choicesIn(value, schemaAt(root, $ref), root, path);
  if ('const' in schema) return undefined;
  if (options !== undefined || type === 'boolean' || CHOOSING_TEXTS.has(path)) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const known = table(properties);
  const chosen = Object.entries(value).map(
    ([key, each]) =>
      [key, choicesIn(each, known[key], root, path === '' ? key : `${path}.${key}`)] as const,
  );
  return Object.fromEntries(chosen.filter(([, each]) => each !== undefined));
}

function table(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
