/** A CatSet: numbered Pods that start one after another, with volume claims. The function of examples/metacontroller. */
import {
  byOrdinal,
  type HookObject,
  type ObjectsByKey,
  type Pod,
  type PodTemplate,
} from './pods.ts';

interface ClaimTemplate {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

interface CatSet extends HookObject {
  readonly spec: {
    readonly serviceName?: string;
    readonly replicas: number;
    readonly template: PodTemplate;
    readonly volumeClaimTemplates?: readonly ClaimTemplate[];
  };
}

interface Request {
  readonly parent: CatSet;
  readonly children: {
    readonly 'Pod.v1': ObjectsByKey<Pod>;
    readonly 'PersistentVolumeClaim.v1': ObjectsByKey;
  };
  readonly finalizing: boolean;
}

/** Both `sync` and `finalize`. */
export function sync({ parent, children, finalizing }: Request): object {
  const { name } = parent.metadata;
  const replicas = finalizing ? 0 : parent.spec.replicas;
  const pods = byOrdinal(children['Pod.v1'], name);
  const readyReplicas = readyInARow(pods, replicas);
  return {
    status: { replicas: pods.size, readyReplicas },
    ...(finalizing && { finalized: pods.size === 0 }),
    children: [
      // The highest number first: a rolling update goes in this order.
      ...ordinalsOf(pods, replicas, readyReplicas).map((ordinal) => podOf(parent, ordinal)),
      ...claimsOf(parent, children['PersistentVolumeClaim.v1'], replicas),
    ],
  };
}

/** How many Pods are ready, counted from the first to the one that is not. */
function readyInARow(pods: ReadonlyMap<number, Pod>, replicas: number): number {
  let ready = 0;
  while (ready < replicas && isReady(pods.get(ready))) ready++;
  return ready;
}

function isReady(pod: Pod | undefined): boolean {
  if (pod?.status?.phase !== 'Running' || pod.metadata.deletionTimestamp !== undefined)
    return false;
  return (pod.status.conditions ?? []).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
}

/** Those that are there, with at most one more or one less. */
function ordinalsOf(
  pods: ReadonlyMap<number, Pod>,
  replicas: number,
  ready: number,
): readonly number[] {
  const wanted = new Set(pods.keys());
  if (ready < replicas) wanted.add(ready);
  const highest = Math.max(...wanted, -1);
  if (ready === replicas && highest >= replicas) wanted.delete(highest);
  return [...wanted].sort((a, b) => b - a);
}

function podOf({ metadata: { name }, spec }: CatSet, ordinal: number): object {
  const { template, serviceName, volumeClaimTemplates: claims = [] } = spec;
  const pod = `${name}-${ordinal}`;
  const volumes = [
    ...(template.spec.volumes ?? []),
    ...claims.map(({ metadata }) => ({
      name: metadata.name,
      persistentVolumeClaim: { claimName: `${metadata.name}-${pod}` },
    })),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name: pod },
    spec: {
      ...template.spec,
      hostname: pod,
      ...(serviceName !== undefined && { subdomain: serviceName }),
      ...(volumes.length > 0 && { volumes }),
    },
  };
}

/** A claim for each Pod; one that is left from a Pod stays until the CatSet goes. */
function claimsOf(
  { metadata: { name }, spec }: CatSet,
  observed: ObjectsByKey | undefined,
  replicas: number,
): readonly object[] {
  return (spec.volumeClaimTemplates ?? []).flatMap((template) => {
    const base = `${template.metadata.name}-${name}`;
    const wanted = new Set(byOrdinal(observed, base).keys());
    for (let ordinal = 0; ordinal < replicas; ordinal++) wanted.add(ordinal);
    return [...wanted]
      .sort((a, b) => a - b)
      .map((ordinal) => ({
        ...template,
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { ...template.metadata, name: `${base}-${ordinal}` },
      }));
  });
}
