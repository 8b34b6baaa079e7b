import { ApiServer, findKubectl, KubectlProxy } from '@chancery/testing';
import type { Clock } from '../../operator/core/clock.ts';
import { defineBoxes } from './boxes.ts';
import { FaultGate } from './fault-gate.ts';
import { FaultLine } from './fault-line.ts';

export const NAMESPACES = ['red', 'green', 'blue'] as const;

/** What a soak does to the process between operator and API server. */
export type Ambassador = Pick<KubectlProxy, 'url' | 'start' | 'kill' | 'freeze' | 'thaw'>;

/** Everything between an operator and its objects: line → ambassador → gate → API server. */
export interface Environment {
  readonly server: ApiServer;
  readonly gate: FaultGate;
  readonly ambassador: Ambassador;
  readonly line: FaultLine;
  close(): Promise<void>;
}

export async function startEnvironment(
  clock: Clock,
  ambassadorTo: (gate: FaultGate) => Ambassador,
): Promise<Environment> {
  const server = await ApiServer.start({ clock, requestLimit: 100 }); // it shares our memory
  for (const name of NAMESPACES) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  defineBoxes(server);
  const gate = new FaultGate(server.port);
  await gate.listen();
  const ambassador = ambassadorTo(gate);
  await ambassador.start();
  const line = new FaultLine(Number(new URL(ambassador.url).port));
  await line.listen();
  return {
    server,
    gate,
    ambassador,
    line,
    async close(): Promise<void> {
      await line.heal();
      await line.refuse();
      await ambassador.kill();
      await gate.refuse();
      await server.close();
    },
  };
}

/** A real `kubectl proxy`. @throws Error when there is no kubectl. */
export function throughKubectl(gate: FaultGate): Ambassador {
  const kubectl = findKubectl(process.env);
  if (kubectl === undefined) throw new Error('no kubectl: set KUBECTL, or put one on the PATH');
  return new KubectlProxy({ kubectl, server: gate.url });
}

/** None: who kills it closes the gate, who freezes it changes nothing. */
export function withoutAmbassador(gate: FaultGate): Ambassador {
  return {
    url: gate.url,
    start: () => gate.listen(),
    kill: () => gate.refuse(),
    freeze: () => {},
    thaw: () => {},
  };
}
