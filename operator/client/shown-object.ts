import type { KubernetesObject } from '../model/object.ts';

/** What changes with every write and says nothing of it. */
const LEFT_OUT = [
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/** One object at two times, in a form that may be shown to people. Undefined: it is not there. */
export interface ShownPair {
  readonly before: object | undefined;
  readonly after: object | undefined;
}

/**
 * Two states of one object for people: without what each write changes, and without anything secret.
 * Of a Secret's values remain their lengths, and whether they differ. So do of annotations that hold a
 * Secret, such as what kubectl applied last.
 */
export function shownPair(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): ShownPair {
  const created = before === undefined;
  return {
    before: before && shown(before, undefined, false),
    after: after && shown(after, before, created),
  };
}

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
  // The server makes them up, another time others.
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

/** `*** (8 bytes)`, and whether it is another value than before. */
function masked(value: Buffer | undefined, before: Buffer | undefined): string {
  const length = value?.length ?? 0;
  const changed = before !== undefined && value?.equals(before) !== true;
  return `*** (${length} ${length === 1 ? 'byte' : 'bytes'}${changed ? ', changed' : ''})`;
}

function isSecret({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

/** Tools keep whole objects in annotations, as JSON. */
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
