/**
 * What cannot be equal on two servers, and is made equal before answers are compared. Everything
 * that is not named here counts.
 */
const MADE_UP: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID'],
  // Microseconds are told from seconds by their form; which they are is made up.
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/g, 'MICROTIME'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME'],
  // Also in an object that a message quotes, where quotes are escaped once or twice.
  [/(\\*"resourceVersion\\*":\\*")\d+/g, '$1RV'],
  [/(does not match the ResourceVersion in record )\(\d+\)/g, '$1(RV)'],
  [/(Too large resource version: \d+, current: )\d+/g, '$1RV'],
  [/(too old resource version: )\d+ \(\d+\)/g, '$1RV (RV)'],
  [/"continue":"[\w-]{20,}"/g, '"continue":"TOKEN"'],
  // A token of a ServiceAccount; `chancery record` records a placeholder.
  [/"token":"(?:eyJ[\w.-]+|redacted-\d+ *)"/g, '"token":"TOKEN"'],
  // The name of a mounted token, what a Pod's container is called, the cluster's own certificate.
  [/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-XXXXX'],
  [/fake:\/\/[0-9a-f]{64}/g, 'fake://ID'],
  [/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/g, 'CERTIFICATE'],
  // The recorded server is one of OpenShift, which mounts its own certificate beside the token.
  [/,\{"configMap":\{"name":"openshift-service-ca\.crt","items":\[[^\]]*\]\}\}/g, ''],
  [/gen-[a-z0-9]{5}/g, 'gen-XXXXX'],
  // An Event is named after its object and a time in nanoseconds.
  [/\.[0-9a-f]{16}"/g, '.NANOSECONDS"'],
  // A hash of the Pod template in Go's memory, and the five characters after it.
  [/"pod-template-hash":"[a-z0-9]+"/g, '"pod-template-hash":"HASH"'],
  [/pod-template-hash=[a-z0-9]+/g, 'pod-template-hash=HASH'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-HASH-XXXXX'],
  [/-[bcdfghjklmnpqrstvwxz2456789]{8,10}\b/g, '-HASH'],
  // A hash of an OpenAPI document, which names the version of the document.
  [/\?hash=[0-9A-F]+/g, '?hash=HASH'],
  // Columns with an age, alone among the cells.
  [/"(?:\d+[smhdy])+"/g, '"AGE"'],
  [/127\.0\.0\.1:\d+/g, 'ADDRESS'],
  [/\b10\.244\.\d+\.\d+\b/g, 'POD-IP'],
  // The recorded cluster had no kubelet, but a small program that did as if.
  [/"manager":"fakekubelet"/g, '"manager":"kubelet"'],
  // What the proxy says of a server that is away: it names the system call that failed.
  [/^(?:read tcp ADDRESS->ADDRESS: read|dial tcp ADDRESS: connect): [^\n]*\n?$/, 'SERVER AWAY'],
];

/** An answer in which everything that two servers make up differently is the same. */
export function comparable(text: string): unknown {
  const value = parsed(madeEqual(text));
  // A watch that was asked for in an unusual way was recorded as one text.
  if (typeof value === 'string' && value.startsWith('{"type":')) return comparableEvents(text);
  return ordered(value);
}

/**
 * `value` without what controllers write into a Deployment: when they do is up to them. Their writes show in the status,
 * in the annotation of the revision and in entries of managedFields.
 */
export function withoutControllers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutControllers);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([field, inner]) => [field, withoutControllers(inner)]);
  const whole = Object.fromEntries(fields);
  if (whole.kind !== 'Deployment' || !whole.metadata) return whole;
  const { status: _, ...rest } = whole;
  const { managedFields, annotations, ...metadata } = whole.metadata;
  const { 'deployment.kubernetes.io/revision': __, ...kept } = annotations ?? {};
  const isOthers = ({ manager }: { manager?: string }): boolean =>
    manager !== 'kube-controller-manager';
  return {
    ...rest,
    metadata: {
      ...metadata,
      ...(Object.keys(kept).length > 0 && { annotations: kept }),
      ...(managedFields && { managedFields: managedFields.filter(isOthers) }),
    },
  };
}

/** The items of a list in an order that does not depend on the names that a server made up. */
export function inComparableOrder(items: readonly unknown[]): readonly unknown[] {
  const keyed = items.map((item) => ({ item, key: ordered(parsed(madeEqual(textOf(item)))) }));
  if (!keyed.some(({ key }) => hasMadeUpName(key))) return items;
  return keyed
    .toSorted((a, b) => compareText(textOf(a.key), textOf(b.key)))
    .map(({ item }) => item);
}

/** The events of a watch, each comparable, in the order in which they came. */
export function comparableEvents(stream: string): readonly unknown[] {
  return linesOf(stream).map((line) => ordered(parsed(madeEqual(line))));
}

/**
 * The events of a watch by object: only the events of one object have an order among themselves.
 * Without bookmarks, but for the one that ends the initial events: which watch is due for one in a
 * busy second is up to timers that the real server sets a quarter longer or shorter by chance.
 */
export function comparableHistories(stream: string): readonly unknown[] {
  const histories = new Map<string, unknown[]>();
  for (const line of linesOf(stream)) {
    if (line.startsWith('{"type":"BOOKMARK"') && !line.includes('initial-events-end')) continue;
    const uid = uidOf(parsed(line));
    const history = histories.get(uid) ?? [];
    histories.set(uid, history);
    history.push(ordered(parsed(madeEqual(line))));
  }
  return byText([...histories.values()]);
}

function linesOf(stream: string): readonly string[] {
  return stream.split('\n').filter((line) => line !== '');
}

function uidOf(event: unknown): string {
  const { object } = event as { object?: { metadata?: { uid?: string } } };
  return object?.metadata?.uid ?? '';
}

function madeEqual(text: string): string {
  return MADE_UP.reduce((result, [pattern, name]) => result.replace(pattern, name), text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Lists whose order is made up, in one order: managers are ordered by time, which is to the second,
 * and objects by their names, some of which are made up. The causes of a conflict with several managers come in
 * the order of a Go map. Descriptions of table columns go: they are documentation, and each project writes its own.
 */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(ordered);
    return items.some(hasMadeUpName) ? byText(items) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => {
      if (field === 'managedFields' && Array.isArray(inner)) return [field, byText(inner)];
      if (field === 'causes' && isConflict(inner)) return [field, byText(inner)];
      if (field === 'columnDefinitions' && Array.isArray(inner)) {
        return [field, inner.map((column: object) => ({ ...column, description: '' }))];
      }
      return [field, ordered(inner)];
    }),
  );
}

function isConflict(causes: unknown): causes is readonly unknown[] {
  return Array.isArray(causes) && causes.every((cause) => cause?.reason === 'FieldManagerConflict');
}

function hasMadeUpName(item: unknown): boolean {
  const { metadata, object } = (item ?? {}) as {
    metadata?: { name?: unknown };
    object?: { metadata?: { name?: unknown } };
  };
  return /HASH|XXXXX|NANOSECONDS/.test(String((metadata ?? object?.metadata)?.name ?? ''));
}

function byText(items: readonly unknown[]): readonly unknown[] {
  return items.toSorted((a, b) => compareText(textOf(a), textOf(b)));
}

function textOf(value: unknown): string {
  return JSON.stringify(value);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
