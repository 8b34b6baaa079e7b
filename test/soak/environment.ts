import type { Clock } from '../../operator/core/clock.ts';
import { ApiServer } from '../../operator/testing/apiserver/api-server.ts';
import { findKubectl } from '../../operator/testing/kubectl.ts';
import { KubectlProxy } from '../../operator/testing/kubectl-proxy.ts';
import { FaultGate } from './fault-gate.ts';
import { FaultLine } from './fault-line.ts';

export const NAMESPACES = ['red', 'green', 'blue'] as const;

/** Everything between an operator and its objects: line → ambassador → gate → API server. */
export interface Environment {
  readonly server: ApiServer;
  readonly gate: FaultGate;
  readonly proxy: KubectlProxy;
  readonly line: FaultLine;
  close(): Promise<void>;
}

/** @throws Error when there is no kubectl. */
export async function startEnvironment(clock: Clock): Promise<Environment> {
  const kubectl = findKubectl(process.env);
  if (kubectl === undefined) throw new Error('no kubectl: set KUBECTL, or put one on the PATH');
  const server = await ApiServer.start({ clock });
  for (const name of NAMESPACES) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const gate = new FaultGate(server.port);
  await gate.listen();
  const proxy = new KubectlProxy({ kubectl, server: gate.url });
  await proxy.start();
  const line = new FaultLine(Number(new URL(proxy.url).port));
  await line.listen();
  return {
    server,
    gate,
    proxy,
    line,
    async close(): Promise<void> {
      await line.heal();
      await line.refuse();
      await proxy.kill();
      await gate.refuse();
      await server.close();
    },
  };
}
