import { unifiedDiff } from '../core/unified-diff.ts';
import { formatYaml } from '../core/yaml.ts';
import type { KubernetesObject } from '../model/object.ts';

/** A longer line is cut: a certificate or a script in one line says nothing to people. */
const MAX_LINE_LENGTH = 500;

/** Metadata that changes with every write, whatever is written. */
const LEFT_OUT = [
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/**
 * The change of an object for people: the hunks of a unified diff of YAML, line by line; no line when
 * nothing changes. Metadata that each write changes, such as resourceVersion and managedFields, is left
 * out. The values of a Secret are replaced by their lengths and by whether they changed, also where an
 * annotation holds a Secret, as the one of `kubectl apply` does.
 *
 * @param before - undefined when the object is created.
 * @param after - undefined when it is deleted.
 */
export function objectDiff(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): readonly string[] {
  const shownBefore = before && shown(before, undefined, false);
  const shownAfter = after && shown(after, before, before === undefined);
  return unifiedDiff(yamlOf(shownBefore), yamlOf(shownAfter)).map(cut);
}

function yamlOf(object: object | undefined): string {
  return object === undefined ? '' : formatYaml(object);
}

function cut(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  return `${line.slice(0, MAX_LINE_LENGTH)}… (${line.length} characters)`;
}

/** One state of an object, beside the other state. @param created - the object is new in this state. */
function shown(
  object: KubernetesObject,
  other: KubernetesObject | undefined,
  created: boolean,
): object {
  const { apiVersion, kind, metadata, ...rest } = object;
  const secret = isSecret(object);
  return {
    apiVersion,
    kind,
    metadata: shownMetadata(metadata, other?.metadata, { secret, created }),
    ...(secret ? maskedValues(rest, other) : rest),
  };
}

function shownMetadata(
  metadata: KubernetesObject['metadata'],
  other: KubernetesObject['metadata'] | undefined,
  { secret, created }: { readonly secret: boolean; readonly created: boolean },
): object {
  const kept: Record<string, unknown> = { ...metadata };
  for (const name of LEFT_OUT) delete kept[name];
  // The server makes these up, and would make up others the next time.
  if (created) delete kept.uid;
  if (created && metadata.generateName) kept.name = `${metadata.generateName}*`;
  if (metadata.annotations !== undefined) {
    kept.annotations = mapValues(metadata.annotations, (name, value) =>
      holdsSecret(name, value, secret)
        ? masked(bytesOf('stringData', value), bytesOf('stringData', other?.annotations?.[name]))
        : value,
    );
  }
  return kept;
}

function maskedValues(
  fields: Readonly<Record<string, unknown>>,
  other: KubernetesObject | undefined,
): object {
  const kept = { ...fields };
  for (const field of ['data', 'stringData'] as const) {
    const values = fields[field];
    if (!isRecord(values)) continue;
    const others = (other as Readonly<Record<string, unknown>> | undefined)?.[field];
    kept[field] = mapValues(values, (key, value) =>
      masked(bytesOf(field, value), isRecord(others) ? bytesOf(field, others[key]) : undefined),
    );
  }
  return kept;
}

function bytesOf(field: 'data' | 'stringData', value: unknown): Buffer | undefined {
  if (value === undefined) return undefined;
  return Buffer.from(String(value), field === 'data' ? 'base64' : 'utf8');
}

/** `*** (8 bytes)`, and whether the value is another than before. */
function masked(value: Buffer | undefined, before: Buffer | undefined): string {
  const length = value?.length ?? 0;
  const changed = before !== undefined && value?.equals(before) !== true;
  return `*** (${length} ${length === 1 ? 'byte' : 'bytes'}${changed ? ', changed' : ''})`;
}

function isSecret({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

/** True for an annotation in which a tool keeps a whole Secret, as JSON. */
function holdsSecret(name: string, value: string, ofSecret: boolean): boolean {
  if (ofSecret && /last-applied/.test(name)) return true;
  return /"kind"\s*:\s*"Secret"/.test(value) || (ofSecret && /^\s*[{[]/.test(value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapValues<V, W>(
  record: Readonly<Record<string, V>>,
  map: (key: string, value: V) => W,
): Readonly<Record<string, W>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(key, value)]));
}
