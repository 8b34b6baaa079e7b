import type { Manager } from './manager.ts';
import type { CreateManagerOptions } from './options.ts';

/**
 * A manager of `controllers` and `runnables` as `chancery run` makes it, with `/healthz` and `/readyz`
 * on port 8081 and `/metrics` on 8080; with a span around every reconcile when a tracer provider is
 * registered with `@opentelemetry/api`. Opens nothing before it runs. It handles no signals of the
 * process and ends none: that is the caller's.
 *
 * @throws ConfigurationError `CONFIG` when the settings are unusable, or two controllers have the same
 *   name.
 */
export async function createManager(options: CreateManagerOptions): Promise<Manager> {
  // Loaded when it is asked for: who uses the parts of the toolkit alone does not pay for the process.
  const { newManager } = await import('./manager.ts');
  return newManager(options);
}

/**
 * Runs controllers until `signal` aborts, and stops in order: `createManager` and its `run` in one.
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
