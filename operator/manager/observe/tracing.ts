import type { ReconcileMiddleware } from '../../controller/run/middleware.ts';

/** Where `@opentelemetry/api` 1.x keeps what a process has registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * Spans around attempts, when the process has registered a tracer provider by now; undefined otherwise.
 * Who traces nothing does not load `@opentelemetry/api`.
 */
export async function tracing(): Promise<ReconcileMiddleware | undefined> {
  const registered = (globalThis as { readonly [REGISTERED]?: { readonly trace?: unknown } })[
    REGISTERED
  ];
  if (registered?.trace === undefined) return undefined;
  const { tracedAttempts } = await import('./open-telemetry.ts');
  return tracedAttempts();
}
