import type { KubernetesObject } from '../../../operator/model/object.ts';
import { only } from '../../manifests/support/rendered.ts';
import type { ContainerSpec, SecurityContext } from './container-plan.ts';

/** As much of a Pod's spec as this runner acts upon. */
export interface PodSpec {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken?: boolean;
  readonly shareProcessNamespace?: boolean;
  readonly hostNetwork?: boolean;
  readonly hostPID?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext?: SecurityContext;
  readonly initContainers?: readonly ContainerSpec[];
  readonly containers: readonly ContainerSpec[];
  readonly volumes?: readonly Volume[];
}

export interface Volume {
  readonly name: string;
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string };
  readonly projected?: { readonly sources: readonly ProjectedSource[] };
  /** All its keys as files. */
  readonly configMap?: { readonly name: string; readonly defaultMode?: number };
  /** The same; the items of a gate are all that its Secret has. */
  readonly secret?: { readonly secretName: string; readonly items?: readonly object[] };
}

export interface ProjectedSource {
  readonly serviceAccountToken?: { readonly path: string };
  readonly configMap?: {
    readonly name: string;
    readonly items?: readonly { readonly key: string; readonly path: string }[];
  };
  readonly downwardAPI?: {
    readonly items: readonly {
      readonly path: string;
      readonly fieldRef: { readonly fieldPath: string };
    }[];
  };
}

/** Where Kubernetes mounts a token by itself unless it is told not to. */
export const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

const AUTOMATIC = 'kube-api-access-auto';

/**
 * The Pod that the Deployment among `objects` makes, after admission: a Pod that does not say otherwise
 * gets a token mounted into every container that mounts nothing in its place.
 *
 * @throws Error for what would make it another Pod than the one that is run here.
 */
export function admittedPod(objects: readonly KubernetesObject[]): PodSpec {
  const deployment = only(objects, 'Deployment') as KubernetesObject & {
    readonly spec: { readonly template: { readonly spec: PodSpec } };
  };
  const { spec } = deployment.spec.template;
  if (spec.hostNetwork || spec.hostPID || spec.shareProcessNamespace) {
    throw new Error(
      'this Pod shares more with the node, or between its containers, than is run here',
    );
  }
  const account = only(objects, 'ServiceAccount') as KubernetesObject & {
    readonly automountServiceAccountToken?: boolean;
  };
  const automount =
    spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  return automount ? withToken(spec) : spec;
}

function withToken(spec: PodSpec): PodSpec {
  const mounted = (container: ContainerSpec): ContainerSpec => {
    const { volumeMounts = [] } = container;
    if (volumeMounts.some(({ mountPath }) => mountPath === TOKEN_FOLDER)) return container;
    const mount = { name: AUTOMATIC, mountPath: TOKEN_FOLDER, readOnly: true };
    return { ...container, volumeMounts: [...volumeMounts, mount] };
  };
  const sources: readonly ProjectedSource[] = [
    { serviceAccountToken: { path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }],
      },
    },
  ];
  return {
    ...spec,
    initContainers: (spec.initContainers ?? []).map(mounted),
    containers: spec.containers.map(mounted),
    volumes: [...(spec.volumes ?? []), { name: AUTOMATIC, projected: { sources } }],
  };
}
