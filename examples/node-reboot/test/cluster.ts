/** Three Nodes, the operator as in its Pod, and agents that are simulated. */

import { eventually, FakeClock, startOperator } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Node } from 'chancery/kubernetes';
import { onTestFinished } from 'vitest';
import { type Place, startExample } from '../../testing/place.ts';
import { nodeReboot } from '../operator.ts';
import { REBOOT_IN_PROGRESS, REBOOT_NEEDED } from '../protocol.ts';
import { rebootSettingsFrom } from '../settings.ts';
import { type AgentOptions, simulatedAgents } from '../simulator.ts';

export interface Setup {
  /** Settings, without `UPDATE_OPERATOR_`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** False: the test is the agents. */
  readonly agents?: AgentOptions | false;
  /** Default: some Monday, 12:00 in UTC. */
  readonly startTime?: string;
}

export interface Cluster {
  readonly place: Place;
  /** The operator's; it stands unless the test moves it. */
  readonly clock: FakeClock;
  /** `eventually`, while the operator's time goes on: after a leap its watches have to begin anew. */
  passing(probe: () => unknown): Promise<unknown>;
  node(name: string): Promise<Node>;
  annotate(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void>;
  label(name: string, labels: Readonly<Record<string, string | null>>): Promise<void>;
  /** Which of `names`, labels or annotations, were `true`, from change to change. */
  history(name: string, ...names: readonly string[]): readonly (readonly string[])[];
}

const MONDAY_NOON = '2030-01-07T12:00:00Z';

export async function startCluster(setup: Setup = {}): Promise<Cluster> {
  const { settings = {}, agents = {}, startTime = MONDAY_NOON } = setup;
  const clock = new FakeClock(Date.parse(startTime));
  const environment = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`UPDATE_OPERATOR_${name}`, value]),
  );
  const place = await startExample({
    name: 'node-reboot',
    controllers: [nodeReboot(rebootSettingsFrom(environment))],
    allNamespaces: true,
    clock,
    manifests: [new URL('../given/', import.meta.url)],
  });
  const { env } = place;
  if (agents !== false) {
    const other = startOperator({ url: env.url, controllers: [simulatedAgents(agents)] });
    onTestFinished(() => other.stop());
    await other.untilReady();
  }
  await place.operator.untilReady();
  const change = async (name: string, metadata: object): Promise<void> => {
    await env.patch('v1', 'Node', undefined, name, { metadata });
  };
  return {
    place,
    clock,
    passing: (probe) =>
      eventually(() => {
        clock.advance(50);
        return probe();
      }),
    async node(name) {
      const found = await env.get<Node>('v1', 'Node', undefined, name);
      if (found === undefined) throw new Error(`there is no Node ${name}`);
      return found;
    },
    annotate: (name, annotations) => change(name, { annotations }),
    label: (name, labels) => change(name, { labels }),
    history(name, ...names) {
      const states = env.events
        .history('nodes', undefined, name)
        .map((object) => names.filter((each) => has(object, each)));
      return states.filter((state, index) => String(state) !== String(states[index - 1] ?? []));
    },
  };
}

/** As kubectl would: what makes a Node want to reboot. */
export async function needReboot({ annotate }: Cluster, ...names: string[]): Promise<void> {
  for (const name of names) await annotate(name, { [REBOOT_NEEDED]: 'true' });
}

/** The machine is back: what its agent says when it starts. */
export async function back({ annotate }: Cluster, name: string): Promise<void> {
  await annotate(name, { [REBOOT_NEEDED]: 'false', [REBOOT_IN_PROGRESS]: 'false' });
}

function has({ metadata }: KubernetesObject, name: string): boolean {
  return metadata.labels?.[name] === 'true' || metadata.annotations?.[name] === 'true';
}
