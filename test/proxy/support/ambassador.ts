import process from 'node:process';
import { onTestFinished } from 'vitest';
import { findKubectl } from '../../../operator/testing/kubectl.ts';
import { type AmbassadorFilter, KubectlProxy } from '../../../operator/testing/kubectl-proxy.ts';

/** The real kubectl of this machine. Without one these tests fail: nothing can stand in for it. */
export function realKubectl(): string {
  const kubectl = findKubectl(process.env);
  if (kubectl === undefined) throw new Error('these tests need a kubectl on the PATH');
  return kubectl;
}

/** A real `kubectl proxy` in front of `server`; resolves to its URL. */
export async function startAmbassador(server: string, filter?: AmbassadorFilter): Promise<string> {
  const proxy = new KubectlProxy({ kubectl: realKubectl(), server, ...(filter && { filter }) });
  onTestFinished(() => proxy.kill());
  await proxy.start();
  return proxy.url;
}
