import type { KubernetesObject } from 'chancery';
import {
  GATE_CONFIG_FILE,
  GATE_TLS,
  type GatePath,
  gateConfig,
  gateSidecar,
  gateVolumes,
  type ModelContainer,
  OWN_GATE_IMAGE,
  VERSION,
} from 'chancery/internal';
import type { KustomizeTree } from './kustomize-tree.ts';
import type { Manager } from './manager.ts';

/** The gate in front of the webhooks of a manager. */
export interface ManagerGate {
  readonly container: ModelContainer;
  readonly volumes: readonly { readonly name: string }[];
  /** The ConfigMap with the configuration of the gate. */
  readonly config: { readonly name: string; readonly data: Readonly<Record<string, string>> };
}

/** Name of the gate's ConfigMap. */
const CONFIG_MAP = 'ambassador-gate';

/** Name of the Secret that kubebuilder's Certificate fills. */
const SECRET = 'webhook-server-cert';

/**
 * The time limit of the API server for a webhook without its own limit, and the fixed limit for
 * conversions.
 */
const WEBHOOK_SECONDS = 10;
const CONVERSION_SECONDS = 30;

/**
 * The gate for a project with webhooks. Undefined when the manager has the private key of the
 * webhooks and so serves TLS itself. Managers that kubebuilder generates do this.
 */
export function gateOf(tree: KustomizeTree, manager: Manager): ManagerGate | undefined {
  const paths = pathsIn(tree);
  if (paths.length === 0 || holdsKey(tree, manager)) return undefined;
  return {
    container: gateSidecar(`${OWN_GATE_IMAGE}:${VERSION}`),
    volumes: [
      {
        name: GATE_TLS,
        ...{ secret: { secretName: SECRET, items: [item('tls.crt'), item('tls.key')] } },
      },
      ...gateVolumes(CONFIG_MAP),
    ],
    config: { name: CONFIG_MAP, data: { [GATE_CONFIG_FILE]: gateConfig({ paths }) } },
  };
}

/** Messages about the gate for the user in the terminal. */
export function gateMessages(tree: KustomizeTree, manager: Manager): readonly string[] {
  if (pathsIn(tree).length === 0) return [];
  if (holdsKey(tree, manager)) {
    return [
      `${manager.path}: the manager holds the key of its webhooks, and serves TLS itself. To put the gate in front of it, serve ` +
        'plain HTTP on 127.0.0.1:9440, and take manager_webhook_patch.yaml out of config/default/kustomization.yaml',
    ];
  }
  return [
    'the gate ends TLS for the webhooks: the manager has to serve plain HTTP on 127.0.0.1:9440, see docs/guides/write/kubebuilder.md',
  ];
}

function item(key: string): object {
  return { key, path: key };
}

/** True when the manager mounts the Secret, or has the flag for the folder of the certificate. */
function holdsKey({ patches }: KustomizeTree, { pod }: Manager): boolean {
  const text = JSON.stringify([pod, ...patches.map(({ value }) => value)]);
  return text.includes(`"${SECRET}"`) || text.includes('--webhook-cert-path');
}

function pathsIn({ objects, patches }: KustomizeTree): readonly GatePath[] {
  const called = objects.flatMap(({ object }) => webhooksOf(object));
  const isConverted = patches.some(
    ({ value }) => Object(Object(value).spec).conversion?.strategy === 'Webhook',
  );
  return [
    ...new Map(called.map((each) => [each.path, each])).values(),
    ...(isConverted ? [{ path: '/convert', timeoutSeconds: CONVERSION_SECONDS }] : []),
  ];
}

function webhooksOf(object: KubernetesObject): readonly GatePath[] {
  const { webhooks } = object as {
    readonly webhooks?: readonly {
      readonly timeoutSeconds?: number;
      readonly clientConfig?: { readonly service?: { readonly path?: string } };
    }[];
  };
  return (webhooks ?? []).flatMap(({ clientConfig, timeoutSeconds = WEBHOOK_SECONDS }) => {
    const path = clientConfig?.service?.path;
    return path === undefined ? [] : [{ path, timeoutSeconds }];
  });
}
