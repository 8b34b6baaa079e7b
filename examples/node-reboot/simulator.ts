/**
 * The agent's half, for tests and for trying it out: what the DaemonSet of the original does on a machine,
 * by way of systemd and D-Bus, with a machine that is only a moment of time.
 */
import {
  AWAIT_CHANGE,
  type Client,
  type Controller,
  controller,
  controllerOf,
  isDisruptionRefused,
  isNotFound,
  type ObjectKey,
} from 'chancery';
import { type Node, nodes, type Pod, pods } from 'chancery/kubernetes';
import { createManager } from 'chancery/low-level';
import {
  isTrue,
  MADE_UNSCHEDULABLE,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
} from './protocol.ts';

export interface AgentOptions {
  /** How long a machine is down. Default 0. */
  readonly rebootMs?: number;
  /** Whether the machine of this Node comes back. Default: all do. */
  readonly comesBack?: (name: string) => boolean;
  /** Whether there is an agent on this Node, and it answers. Default: everywhere. */
  readonly answers?: (name: string) => boolean;
}

/** How long after a refused eviction the next one is tried. */
const DRAIN_RETRY_MS = 500;

/** The agents of all Nodes. */
export function simulatedAgents(options: AgentOptions = {}): Controller<Node> {
  const { rebootMs = 0, comesBack = () => true, answers = () => true } = options;
  const upAt = new Map<ObjectKey, number>();
  return controller({
    name: 'simulated-agents',
    for: nodes,
    permissions: [
      { resource: nodes, verbs: ['patch'] },
      { resource: pods, verbs: ['list'] },
      { resource: pods, subresource: 'eviction', verbs: ['create'] },
    ],
    async reconcile(key, node, { client, clock }) {
      if (node === undefined || !answers(node.metadata.name)) return AWAIT_CHANGE;
      if (!isTrue(node, REBOOT_OK)) {
        await uncordon(node, client);
        return AWAIT_CHANGE;
      }
      if (!isTrue(node, REBOOT_NEEDED)) return AWAIT_CHANGE; // it is back, and waits for the operator
      if (!isTrue(node, REBOOT_IN_PROGRESS)) {
        await cordon(node, client);
        return AWAIT_CHANGE;
      }
      // The original goes on when Pods are left. Here the budget of an application has the last word.
      if (!upAt.has(key) && !(await drain(node.metadata.name, client))) {
        return { requeueAfterMs: DRAIN_RETRY_MS };
      }
      if (!comesBack(node.metadata.name)) return AWAIT_CHANGE;
      const up = upAt.get(key) ?? clock.monotonic() + rebootMs;
      upAt.set(key, up);
      const downMs = up - clock.monotonic();
      if (downMs > 0) return { requeueAfterMs: downMs };
      upAt.delete(key);
      await annotate(node, client, { [REBOOT_IN_PROGRESS]: 'false', [REBOOT_NEEDED]: 'false' });
      return AWAIT_CHANGE;
    },
  });
}

/** Runs them beside an operator, as an administrator of the API server at `url`, until it is told to stop. */
export async function start(url: string): Promise<() => Promise<void>> {
  const manager = await createManager({
    controllers: [simulatedAgents({ rebootMs: 1_000 })],
    environment: {
      CHANCERY_API_URL: url,
      CHANCERY_HEALTH_PORT: '0',
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
      CHANCERY_LOG_LEVEL: 'error',
      CHANCERY_METRICS_PORT: '0',
      CHANCERY_SELF_TEST: 'off',
      WATCH_NAMESPACE: '*',
    },
  });
  const running = manager.run();
  running.catch(() => {}); // for the stop to tell
  return async () => {
    await manager.stop();
    await running;
  };
}

async function cordon(node: Node, client: Client): Promise<void> {
  const byOthers = node.spec?.unschedulable === true;
  await annotate(
    node,
    client,
    { [REBOOT_IN_PROGRESS]: 'true', ...(!byOthers && { [MADE_UNSCHEDULABLE]: 'true' }) },
    { unschedulable: true },
  );
}

/** Only what the agent has cordoned itself. */
async function uncordon(node: Node, client: Client): Promise<void> {
  if (!isTrue(node, MADE_UNSCHEDULABLE)) return;
  await annotate(node, client, { [MADE_UNSCHEDULABLE]: 'false' }, { unschedulable: false });
}

async function annotate(
  { metadata: { name, resourceVersion } }: Node,
  client: Client,
  annotations: Readonly<Record<string, string>>,
  spec?: Node['spec'],
): Promise<void> {
  const body = { metadata: { resourceVersion, annotations }, ...(spec && { spec }) };
  await client.patch(nodes, { name }, { type: 'merge', body });
}

/** Asks every Pod of the Node to go. @returns whether none is left. */
async function drain(name: string, client: Client): Promise<boolean> {
  const all = await client.list(pods, { fieldSelector: `spec.nodeName=${name}` });
  const toGo = all.filter(isDrained);
  for (const { metadata } of toGo) {
    if (metadata.deletionTimestamp !== undefined) continue;
    try {
      await client.evict(metadata, { preconditions: { uid: metadata.uid } });
    } catch (error) {
      if (!isDisruptionRefused(error) && !isNotFound(error)) throw error;
    }
  }
  return toGo.length === 0;
}

function isDrained({ metadata, status }: Pod): boolean {
  return (
    metadata.namespace !== 'kube-system' &&
    controllerOf({ metadata })?.kind !== 'DaemonSet' &&
    status?.phase !== 'Succeeded' &&
    status?.phase !== 'Failed'
  );
}
