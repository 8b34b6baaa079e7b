import { onTestFinished } from 'vitest';
import { type AmbassadorFilter, KubectlProxy } from '../../../operator/testing/kubectl-proxy.ts';
import { pathOf } from '../../tools/tools.ts';

/** A real `kubectl proxy` in front of `server`; resolves to its URL. */
export async function startAmbassador(server: string, filter?: AmbassadorFilter): Promise<string> {
  const proxy = new KubectlProxy({ kubectl: pathOf('kubectl'), server, ...(filter && { filter }) });
  onTestFinished(() => proxy.kill());
  await proxy.start();
  return proxy.url;
}
