import type { KubernetesObject } from '../../../../../operator/model/object.ts';

type Json = Readonly<Record<string, unknown>>;

/** Labels and annotations that only tell by which tool an object came, or that start new Pods for a new folder. */
const OF_TOOLS =
  /^(?:helm\.sh\/|checksum\/|chancery\.dev\/folder-hash$|app\.kubernetes\.io\/(?:name|instance|version|managed-by|part-of)$)/;

/** Objects by kind and name, without what belongs to a tool, and with the namespace that they get. */
export function comparable(
  objects: readonly KubernetesObject[],
  namespace: string,
): Readonly<Record<string, unknown>> {
  const entries = withPlainNames(objects).map((each) => {
    const place = each.metadata.namespace ?? defaultNamespace(each, namespace);
    const object = place === '' || place === namespace ? each : withoutRelease(each, namespace);
    const { namespace: _inTheKey, ...metadata } = object.metadata;
    return [
      `${object.kind} ${place} ${object.metadata.name}`,
      withoutTools({ ...object, metadata }),
    ] as const;
  });
  const names = entries.map(([key]) => key);
  const twice = names.find((key, at) => names.indexOf(key) !== at);
  if (twice !== undefined) throw new Error(`${twice} is there twice`);
  return Object.fromEntries(entries);
}

/**
 * A chart names a right outside of the namespace of its release after both, `site.release`: the release may be installed
 * in such a namespace, where two rights would have one name.
 */
function withoutRelease(object: KubernetesObject, namespace: string): KubernetesObject {
  if (!/^Role(?:Binding)?$/.test(object.kind)) return object;
  const plain = (name: string): string =>
    name.endsWith(`.${namespace}`) ? name.slice(0, -namespace.length - 1) : name;
  const { roleRef } = object as { readonly roleRef?: { readonly name: string } };
  return {
    ...object,
    metadata: { ...object.metadata, name: plain(object.metadata.name) },
    ...(roleRef !== undefined && { roleRef: { ...roleRef, name: plain(roleRef.name) } }),
  };
}

/** Without the hash that kustomize appends to the name of a ConfigMap; the others have it as an annotation. */
export function withPlainNames<T>(objects: readonly (KubernetesObject & T)[]): typeof objects {
  const hashed = objects
    .filter(({ kind, metadata }) => kind === 'ConfigMap' && /-[a-z0-9]{10}$/.test(metadata.name))
    .map(({ metadata }) => metadata.name);
  const text = hashed.reduce(
    (before, name) => before.replaceAll(JSON.stringify(name), JSON.stringify(name.slice(0, -11))),
    JSON.stringify(objects),
  );
  return JSON.parse(text) as typeof objects;
}

/** Objects without a namespace get that of the release, but for those of the whole cluster. */
function defaultNamespace({ kind }: KubernetesObject, namespace: string): string {
  return /^Cluster|Definition$|AdmissionPolicy/.test(kind) ? '' : namespace;
}

function withoutTools(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTools);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !OF_TOOLS.test(key))
    .map(([key, each]) => [key, withoutTools(each)] as const)
    .filter(([key, each]) => !(LABELLED.includes(key) && isEmpty(each)));
  return Object.fromEntries(entries);
}

const LABELLED = ['labels', 'annotations', 'matchLabels'];

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/**
 * Each right by itself, sorted: whether it holds in the whole cluster, and one API group, resource, name and verb.
 * Without namespaces, because a bundle names none: OLM decides.
 */
export function rulesIn(objects: readonly KubernetesObject[]): readonly string[] {
  const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
  const rights = roles.flatMap((role) => {
    const { rules = [] } = role as KubernetesObject & { readonly rules?: readonly Json[] };
    return rules.flatMap((rule) => expanded(rule).map((right) => `${role.kind}${right}`));
  });
  return [...new Set(rights)].sort();
}

function expanded(rule: Json): readonly string[] {
  const { apiGroups, resources, resourceNames, verbs, ...others } = rule;
  const product = [apiGroups, resources, resourceNames ?? ['(all)'], verbs].reduce<string[]>(
    (before, words) =>
      before.flatMap((text) => ((words ?? []) as string[]).map((word) => `${text} "${word}"`)),
    [''],
  );
  return Object.keys(others).length === 0 ? product : [...product, JSON.stringify(rule)];
}
