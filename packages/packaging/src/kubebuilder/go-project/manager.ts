import { ConfigurationError, type KubernetesObject } from 'chancery';
import type { Container, PodSpec } from 'chancery/internal';
import type { KustomizeTree, PlacedObject } from './kustomize-tree.ts';
import { MANAGER_FILE } from './manager-file.ts';
import { requireNoTokenSecret, requireOwnPod, thirdContainer } from './pod-checks.ts';

/** The manager of a project: its Deployment, and the facts that are read from the Deployment. */
export interface Manager {
  readonly path: string;
  readonly deployment: KubernetesObject;
  /** The namespace that kustomize renders. */
  readonly namespace: string | undefined;
  readonly selector: Readonly<Record<string, string>>;
  readonly pod: PodSpec;
  readonly container: Container;
  readonly account: string;
  /**
   * The ServiceAccount. Undefined when the project does not contain it, because it is created
   * elsewhere.
   */
  readonly accountObject: PlacedObject | undefined;
}

interface Workload extends KubernetesObject {
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: { readonly spec?: PodSpec };
  };
}

/**
 * The manager of a project.
 *
 * @throws ConfigurationError `CONFIG` when there is no manager, or when a setting of its Pod makes
 * an ambassador ineffective.
 */
export function managerOf(tree: KustomizeTree): Manager {
  const { object, path, namespace } = deploymentIn(tree);
  const { spec } = object as Workload;
  const pod = spec?.template?.spec;
  const [container, ...others] = pod?.containers ?? [];
  if (pod === undefined || container === undefined) {
    throw new ConfigurationError(`${path}: Deployment/${object.metadata.name} has no container`);
  }
  if (others.length > 0) throw thirdContainer(path, others.map(({ name }) => name).join(' and '));
  const { serviceAccountName: account = 'default' } = pod;
  if (account === 'default') {
    throw new ConfigurationError(
      `${path}: the Pod of Deployment/${object.metadata.name} has no ServiceAccount of its own, so every other Pod of ` +
        'the namespace would have its rights: set serviceAccountName, as kubebuilder does',
    );
  }
  requireOwnPod(path, pod, container);
  requireNoTokenSecret(tree);
  return {
    ...{ path, deployment: object, namespace, pod, container, account },
    selector: spec?.selector?.matchLabels ?? {},
    accountObject: tree.objects.find(
      (each) => each.object.kind === 'ServiceAccount' && each.object.metadata.name === account,
    ),
  };
}

function deploymentIn({ root, objects }: KustomizeTree): PlacedObject {
  const inFile = objects.filter(
    ({ object, path }) => path === MANAGER_FILE && object.kind === 'Deployment',
  );
  const [first, ...others] = inFile;
  if (first === undefined) {
    throw new ConfigurationError(
      `${root} does not lead to a Deployment in ${MANAGER_FILE}: list ../manager among its resources, and ` +
        'manager.yaml among those of config/manager/kustomization.yaml',
    );
  }
  if (others.length === 0) return first;
  throw new ConfigurationError(
    `${MANAGER_FILE} has ${inFile.length} Deployments, and the ambassador needs to know the manager: leave that one ` +
      'alone in the file, and move the others to files beside it',
  );
}
