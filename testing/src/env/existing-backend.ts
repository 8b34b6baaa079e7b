import { ConfigurationError, messageOf } from 'chancery/internal-objects';
import { findKubectl } from '../ambassador/kubectl.ts';
import { KubectlProxy, type KubectlProxyOptions } from '../ambassador/kubectl-proxy.ts';
import { ApiCalls } from './api-calls.ts';
import type { Backend } from './backend.ts';

/** Gives access to the cluster of a kubeconfig, through a separate `kubectl proxy`. */
export async function existingBackend(
  environment: Readonly<Record<string, string | undefined>>,
  context: string | undefined,
): Promise<Backend> {
  const kubectl = requireKubectl(environment);
  const proxyOptions: KubectlProxyOptions = {
    kubectl,
    environment,
    ...(context === undefined ? {} : { context }),
  };
  const backend = await throughProxy(proxyOptions);
  return { ...backend, runsWorkloads: true, isShared: true };
}

/** @throws ConfigurationError `CONFIG` when there is no kubectl. */
export function requireKubectl(environment: Readonly<Record<string, string | undefined>>): string {
  const kubectl = findKubectl(environment);
  if (kubectl !== undefined) return kubectl;
  throw new ConfigurationError(
    'no kubectl found, through which a real API server is reached: install it or set KUBECTL',
  );
}

/**
 * A `kubectl proxy` to an API server that needs TLS and credentials. The options contain the path of the
 * kubeconfig.
 *
 * @throws ConfigurationError `CONFIG` when the proxy does not answer like an API server.
 */
export async function throughProxy(
  proxyOptions: KubectlProxyOptions,
): Promise<Pick<Backend, 'url' | 'proxyOptions' | 'embedded' | 'close'>> {
  const proxy = new KubectlProxy(proxyOptions);
  await proxy.start();
  try {
    await new ApiCalls(proxy.url, () => {}).send('GET', '/api/v1');
  } catch (error) {
    await proxy.kill();
    throw new ConfigurationError(
      `the API server of the kubeconfig does not answer: ${messageOf(error)}`,
      { cause: error },
    );
  }
  return { url: proxy.url, proxyOptions, embedded: undefined, close: () => proxy.kill() };
}
