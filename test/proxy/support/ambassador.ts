import { type AmbassadorFilter, KubectlProxy } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { pathOf } from '../../tools/tools.ts';

/** A real `kubectl proxy` in front of `server`; resolves to its URL. */
export async function startAmbassador(server: string, filter?: AmbassadorFilter): Promise<string> {
  const proxy = new KubectlProxy({ kubectl: pathOf('kubectl'), server, ...(filter && { filter }) });
  onTestFinished(() => proxy.kill());
  await proxy.start();
  return proxy.url;
}
