import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  type AmbassadorFilter,
  findKubectl,
  KubectlProxy,
  StandInAmbassador,
} from '@chancery/testing';
import type { Timeline } from './timeline.ts';

export interface Ambassador {
  readonly url: string;
  kill(): Promise<void>;
}

const HOW_TO_GET_KUBECTL =
  'no kubectl found: install it (https://kubernetes.io/docs/tasks/tools, Debian: kubernetes-client) or set KUBECTL';

/** A real `kubectl proxy` where there is a kubectl, else a stand-in with the same filter. */
export async function startAmbassador(
  server: string,
  filter: AmbassadorFilter,
  timeline: Timeline,
): Promise<Ambassador> {
  const kubectl = findKubectl(process.env);
  const paths = `lets ${filter.acceptPaths.length} paths through, by the operator's declarations`;
  if (kubectl === undefined) {
    const standIn = new StandInAmbassador({ server, filter });
    await standIn.start();
    timeline.tell('ambassador', HOW_TO_GET_KUBECTL);
    timeline.tell('ambassador', `a stand-in for kubectl proxy is at ${standIn.url}; it ${paths}`);
    return standIn;
  }
  const proxy = new KubectlProxy({ kubectl, server, filter });
  await proxy.start();
  const version = await versionOf(kubectl);
  timeline.tell('ambassador', `kubectl proxy ${version} is at ${proxy.url}; it ${paths}`);
  return proxy;
}

async function versionOf(kubectl: string): Promise<string> {
  const { stdout } = await promisify(execFile)(kubectl, ['version', '--client', '--output=json']);
  const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
  return clientVersion.gitVersion;
}
