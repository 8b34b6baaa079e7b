import { type AmbassadorSidecar, documents, header } from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';
import { PLUGIN_KEY } from '../protocol.ts';
import type { ManagerGate } from './gate.ts';
import { OWN_FOLDER } from './kustomize-tree.ts';
import type { Manager } from './manager.ts';
import { CONFIG_MAP, filterPatch, managerPatch } from './manager-patch.ts';

const COMMAND = `kubebuilder edit --plugins ${PLUGIN_KEY}`;

/** The files of `config/ambassador`, a component of kustomize. */
export function ambassadorFolder(
  manager: Manager,
  sidecar: AmbassadorSidecar,
  port: number,
  gate: ManagerGate | undefined,
): ReadonlyMap<string, string> {
  const deployment = { kind: 'Deployment', name: manager.deployment.metadata.name };
  const account = manager.accountObject?.object.metadata.name;
  const patches = [
    { path: 'manager.yaml', target: deployment },
    { path: 'filter.yaml', target: deployment },
    ...(account === undefined
      ? []
      : [{ path: 'service-account.yaml', target: { kind: 'ServiceAccount', name: account } }]),
  ];
  const component = {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    resources: ['kubeconfig.yaml', ...(gate === undefined ? [] : ['gate.yaml'])],
    patches,
  };
  return new Map([
    file(
      'kustomization.yaml',
      ['kubectl proxy beside the manager, which has no token.'],
      component,
    ),
    file(
      'kubeconfig.yaml',
      ['How the manager reaches the ambassador. There is no credential in it.'],
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: CONFIG_MAP, ...namespaceOf(manager) },
        data: { kubeconfig: kubeconfig(port) },
      },
    ),
    file(
      'manager.yaml',
      ['The ambassador, as a native sidecar (Kubernetes 1.29).'],
      managerPatch(manager, sidecar, gate),
    ),
    file(
      'filter.yaml',
      ['What the roles allow that are bound to the manager, and no more.'],
      filterPatch(manager, sidecar),
    ),
    ...(gate === undefined ? [] : [gateFile(manager, gate)]),
    ...(account === undefined ? [] : [accountFile(account)]),
  ]);
}

function gateFile(
  manager: Manager,
  { config: { name, data } }: ManagerGate,
): readonly [string, string] {
  return file('gate.yaml', ['What the gate passes to the manager, and nothing else.'], {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...namespaceOf(manager) },
    data,
  });
}

/** The namespace as written in config/manager. kustomize also changes it in the files of this folder. */
export function namespaceOf({ deployment }: Manager): { readonly namespace?: string } {
  const { namespace } = deployment.metadata;
  return namespace === undefined ? {} : { namespace };
}

function accountFile(name: string): readonly [string, string] {
  return file('service-account.yaml', ['The Pod mounts a token itself, into one container.'], {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name },
    automountServiceAccountToken: false,
  });
}

/**
 * The kubeconfig of the manager. client-go requires a user in a context, even one without
 * credentials.
 */
function kubeconfig(port: number): string {
  const name = 'ambassador';
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

function file(name: string, why: readonly string[], object: object): readonly [string, string] {
  return [`${OWN_FOLDER}/${name}`, generated(why, object)];
}

/** The text of a generated file. Its header says that later runs overwrite the file. */
export function generated(why: readonly string[], object: object): string {
  return documents(header(COMMAND, 'Changes by hand get lost with the next run.', ...why), [
    object,
  ]);
}
