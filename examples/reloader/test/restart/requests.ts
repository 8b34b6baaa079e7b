import type { KubernetesObject } from 'chancery';
import type { Change } from '../../record/plan-types.ts';
import type { RestartRequest } from '../../restart/gate.ts';
import type { WorkloadKind, WorkloadKindName } from '../../workloads/kind.ts';

/** A change of the ConfigMap or Secret `name`. */
export function change(name: string, type: Change['type'] = 'CONFIGMAP'): Change {
  const hash = 'a'.repeat(40);
  return { type, name, hash, deleted: false, container: 'app', rule: 'auto', auto: true };
}

interface Given {
  readonly kind?: WorkloadKindName;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly changes?: readonly Change[];
  /** `spec` and `status`. */
  readonly parts?: object;
}

export function workload(name: string, given: Given = {}): KubernetesObject {
  const { kind = 'Deployment', annotations = {}, labels = {}, parts = {} } = given;
  const metadata = { name, namespace: 'demo', uid: `uid-${name}`, annotations, labels };
  return { apiVersion: 'apps/v1', kind, metadata, ...parts } as KubernetesObject;
}

/** The restart of a workload for `app-config`, with no stores. */
export function request(name: string, given: Given = {}): RestartRequest {
  const changes = given.changes ?? [change('app-config')];
  return {
    kind: { kind: given.kind ?? 'Deployment' } as WorkloadKind,
    workload: workload(name, given),
    plan: { changes, variables: [], templateAnnotations: {}, annotations: {} },
    context: {
      store: () => {
        throw new Error('no stores in this test');
      },
      signal: new AbortController().signal,
    },
  };
}
