import type { Manager } from './manager.ts';
import type { CreateManagerOptions } from './options.ts';

/**
 * Creates a manager for `controllers` and `runnables`, like the manager that `chancery run` creates. It
 * serves `/healthz` and `/readyz` on port 8081 and `/metrics` on port 8080. If a tracer provider is
 * registered with `@opentelemetry/api`, every reconcile has a span. The manager opens nothing before it runs.
 * It does not handle process signals and never exits the process: the caller does both.
 *
 * @throws ConfigurationError `CONFIG` when a setting is invalid, or two controllers have the same name.
 */
export async function createManager(options: CreateManagerOptions): Promise<Manager> {
  // The manager is loaded on demand. A program that uses only other modules of the toolkit does not load it.
  const { newManager } = await import('./manager.ts');
  return newManager(options);
}

/**
 * Runs controllers until `signal` aborts, then stops gracefully. Combines `createManager` and `Manager.run`.
 *
 *     const stop = new AbortController();
 *     process.once('SIGTERM', () => stop.abort());
 *     await runOperator({ controllers: [website], signal: stop.signal });
 *
 * @throws what `createManager` and `Manager.run` throw.
 */
export async function runOperator({
  signal,
  ...options
}: CreateManagerOptions & { readonly signal: AbortSignal }): Promise<void> {
  const manager = await createManager(options);
  await manager.run(signal);
}
