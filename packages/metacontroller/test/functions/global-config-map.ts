/** A GlobalConfigMap: copies of one ConfigMap in every other namespace. */
import type { HookObject, ObjectsByKey } from './pods.ts';

interface GlobalConfigMap extends HookObject {
  readonly spec: { readonly sourceName: string; readonly sourceNamespace: string };
}

interface ConfigMap extends HookObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Request {
  readonly parent: GlobalConfigMap;
  readonly related: {
    readonly 'ConfigMap.v1': ObjectsByKey<ConfigMap>;
    readonly 'Namespace.v1': ObjectsByKey;
  };
}

export function customize({ parent: { spec } }: Pick<Request, 'parent'>): object {
  return {
    relatedResources: [
      {
        apiVersion: 'v1',
        resource: 'configmaps',
        namespace: spec.sourceNamespace,
        names: [spec.sourceName],
      },
      { apiVersion: 'v1', resource: 'namespaces', labelSelector: {} },
    ],
  };
}

export function sync({ parent: { spec }, related }: Request): object {
  const [source] = Object.values(related['ConfigMap.v1']);
  const targets = Object.values(related['Namespace.v1']).filter(
    ({ metadata }) =>
      metadata.name !== spec.sourceNamespace && metadata.deletionTimestamp === undefined,
  );
  const children =
    source === undefined ? [] : targets.map(({ metadata }) => copyOf(source, metadata.name));
  return { status: { copies: children.length }, children };
}

function copyOf({ metadata: { name }, data }: ConfigMap, namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    ...(data !== undefined && { data }),
  };
}
