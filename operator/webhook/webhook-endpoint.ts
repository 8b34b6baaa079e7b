import type { Log } from '../controller/reconciler.ts';
import { frozenStore } from '../controller/run/context.ts';
import { isSameResource, type Source } from '../controller/source.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { boundedText } from '../core/text/visible-text.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import type { Store } from '../store/store.ts';
import type { Endpoint } from './endpoint.ts';
import type { AdmissionRequest } from './review/admission-request.ts';
import { type AnsweredReview, askWebhook } from './review/ask-webhook.ts';
import { readReview } from './review/read-review.ts';
import type { Webhook } from './webhook.ts';

/** What a process passes to the endpoints of its webhooks. */
export interface WebhookParts {
  readonly clock: Clock;
  /** Returns a logger that adds the given facts to every line. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Returns the cache of a declared source. Undefined until the process begins to list the source. */
  readonly storeOf: (source: Source) => Store<KubernetesObject> | undefined;
  /** Called around each review, for example for a span. It must return the result of `ask`. */
  readonly around?: AroundReview;
}

/**
 * Facts about a review for spans. They contain the name and namespace of the object, and no other data of it.
 */
export interface ReviewFacts {
  readonly webhook: string;
  readonly uid: string;
  readonly operation: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly dryRun: boolean;
}

/** Runs around every review. It must call `ask` once and return its result. */
export type AroundReview = (
  facts: ReviewFacts,
  ask: () => Promise<AnsweredReview>,
) => Promise<AnsweredReview>;

/** The endpoint that answers the reviews of `webhook`. */
export function webhookEndpoint(webhook: Webhook, parts: WebhookParts): Endpoint {
  const { name, path, sources, timeoutSeconds } = webhook;
  const { around = (_facts, ask) => ask(), clock } = parts;
  const store = storeFor(webhook, parts);
  return {
    name,
    path,
    timeoutSeconds,
    ready: () => sources.every((source) => parts.storeOf(source)?.synced === true),
    async answer(text, { timeoutMs, signal }) {
      const review = await readReview(text, webhook, signal);
      const facts = factsOf(webhook, review.uid, review.request);
      const log = parts.logFor(logFacts(facts));
      const ask = (): Promise<AnsweredReview> =>
        askWebhook(webhook, review, { clock, log, store, timeoutMs, signal });
      const { outcome, text: answer } = await around(facts, ask);
      log.debug({ outcome }, 'webhook answered');
      if (answer !== undefined) return { status: 200, text: answer, outcome };
      return { status: 504, text: `webhook ${name} took too long\n`, outcome };
    },
  };
}

/**
 * Maximum characters of a name. Names in Kubernetes are shorter, but every Pod that reaches the gate may send
 * a longer name.
 */
const NAME_CHARS = 600;

function factsOf(webhook: Webhook, uid: string, request: AdmissionRequest): ReviewFacts {
  const { operation, dryRun } = request;
  const namespace = request.namespace && boundedText(request.namespace, NAME_CHARS);
  const name = request.name && boundedText(request.name, NAME_CHARS);
  const resource = resourceName(request.resource);
  return { webhook: webhook.name, uid, operation, resource, namespace, name, dryRun };
}

/** The facts that each log line of a review contains. */
function logFacts({ dryRun: _, ...facts }: ReviewFacts): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== undefined),
  );
}

function storeFor(
  { name, sources }: Webhook,
  { storeOf }: WebhookParts,
): <S extends KubernetesObject>(asked: Source<S> | Resource<S>) => Store<S> {
  return <S extends KubernetesObject>(asked: Source<S> | Resource<S>) => {
    const declared =
      'resource' in asked
        ? sources.find((each) => each === (asked as unknown))
        : sources.find(({ resource }) => isSameResource(resource, asked));
    const store = declared && storeOf(declared);
    if (store !== undefined) return frozenStore(store) as unknown as Store<S>;
    const resource = 'resource' in asked ? asked.resource : asked;
    throw new ConfigurationError(
      `a webhook reads a source that it does not declare: add ${resource.plural} to reads`,
      { context: { webhook: name, resource: resourceName(resource) } },
    );
  };
}
