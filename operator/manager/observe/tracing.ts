import type { ReconcileMiddleware } from '../../controller/run/middleware.ts';
import type { AroundReview } from '../../webhook/webhook-endpoint.ts';

/** Where `@opentelemetry/api` 1.x keeps the registered providers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** Creates spans around calls of user code. */
export interface Tracing {
  readonly reconcileMiddleware: ReconcileMiddleware;
  readonly aroundReview: AroundReview;
}

/**
 * Creates spans around attempts and reviews, if the process has already registered a tracer provider;
 * undefined otherwise. Without a provider, `@opentelemetry/api` is not loaded.
 */
export async function tracing(): Promise<Tracing | undefined> {
  const registered = (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[
    REGISTERED
  ];
  if (registered?.trace === undefined) return undefined;
  const { tracedAttempts, tracedReviews } = await import('./open-telemetry.ts');
  return { reconcileMiddleware: tracedAttempts(), aroundReview: tracedReviews() };
}
