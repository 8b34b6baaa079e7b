import { type DiscoveryContext, fetchResources } from '../../client/discovery-documents.ts';
import { restClient } from '../../client/rest-client.ts';
import { NEVER_ABORTED } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { GATE_TEST_AGENT, GATE_TEST_READY } from '../../manager/safety/gate-test-agent.ts';
import { isUnserved } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { defineResource, type Resource } from '../../model/resource.ts';
import { undiciTransport } from '../../transport/undici-transport.ts';

/** The field manager of all writes of `chancery dev`. */
export const SAMPLE_MANAGER = 'chancery-dev';

/** Time after which an operator that does not answer counts as not ready. */
const ANSWER_LIMIT_MS = 1_000;

/**
 * Applies an object to the API server at `url`, like `kubectl apply --server-side --force-conflicts`. The
 * request uses HTTP, so that webhooks are called. A field that the definition does not have is refused.
 *
 * @param namespace - the namespace of an object that does not set one.
 * @throws ConfigurationError `CONFIG` for an object without a name, and for a kind that the server
 * does not serve.
 * @throws ApiError for an object that the server or a webhook refuses.
 */
export async function applySample(
  url: string,
  sample: KubernetesObject,
  { namespace, clock }: { readonly namespace: string; readonly clock: Clock },
): Promise<void> {
  if (typeof sample.metadata?.name !== 'string') {
    throw new ConfigurationError(`a sample needs a metadata.name: ${sample.kind} has none`);
  }
  const transport = undiciTransport(url, { clock });
  try {
    const resource = await resourceOf({ transport, clock, signal: NEVER_ABORTED }, sample);
    const metadata = { ...(resource.namespaced && { namespace }), ...sample.metadata };
    const client = restClient({ transport, clock, fieldManager: SAMPLE_MANAGER });
    await client.apply(resource, { ...sample, metadata }, { force: true });
  } finally {
    await transport.close();
  }
}

/** @throws ConfigurationError `CONFIG` for a kind that the server does not serve. */
async function resourceOf(
  context: DiscoveryContext,
  { apiVersion, kind }: KubernetesObject,
): Promise<Resource> {
  const [version = '', group = ''] = String(apiVersion).split('/').reverse();
  const served = await fetchResources(context, { group, version }).catch((error: unknown) => {
    if (isUnserved(error)) return [];
    throw error;
  });
  const found = served.find((each) => each.kind === kind);
  if (found !== undefined) return defineResource(found);
  throw new ConfigurationError(`the API server has no kind ${kind} in ${apiVersion}`);
}

/**
 * True when the operator would answer a review at each of these URLs now. To find out, it sends the
 * same request as the self-test of the gate. The operator does not count this request as a review.
 */
export async function answersReviews(urls: readonly string[]): Promise<boolean> {
  const answers = urls.map(async (url) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': GATE_TEST_AGENT },
      body: '{}',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    return answer.text();
  });
  const texts = await Promise.all(answers).catch(() => undefined);
  return texts?.every((text) => text === GATE_TEST_READY) === true;
}
