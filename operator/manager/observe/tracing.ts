import type { ReconcileMiddleware } from '../../controller/run/middleware.ts';

/** Where `@opentelemetry/api` 1.x keeps the registered providers. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * Spans around attempts, if the process has already registered a tracer provider; undefined otherwise.
 * Without a provider, `@opentelemetry/api` is not loaded.
 */
export async function tracing(): Promise<ReconcileMiddleware | undefined> {
  const registered = (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[
    REGISTERED
  ];
  if (registered?.trace === undefined) return undefined;
  const { tracedAttempts } = await import('./open-telemetry.ts');
  return tracedAttempts();
}
