import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Controller, isController } from '../../controller/controller.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { HealthCheck, HealthChecks } from '../../manager/http/health-server.ts';
import { isRegistry, type MetricsRegistry } from '../../manager/metrics/registry.ts';
import { isRunnable, type Runnable } from '../../manager/runnable.ts';
import { isProgram, type Program } from '../../manager/with-arguments.ts';
import { isWebhook, type Webhook } from '../../webhook/webhook.ts';
import { loadRemedy } from './load-remedy.ts';

/** The exports of one module for `chancery run`. */
export interface ModuleExports {
  /**
   * The default export, if it comes from `withArguments`. It creates the controllers, runnables and
   * webhooks.
   */
  readonly program?: Program;
  readonly controllers: readonly Controller[];
  readonly runnables: readonly Runnable[];
  readonly webhooks: readonly Webhook[];
  readonly healthChecks: HealthChecks;
  readonly metrics?: MetricsRegistry;
}

/**
 * Loads the module at `path`. Its default export is a controller, a runnable or a webhook, an array
 * of them, or the result of `withArguments`. Its optional exports are `healthChecks`, which adds
 * health checks, and `metrics`, which adds a registry of metrics.
 *
 * @throws ConfigurationError `CONFIG` in one line with file, reason and remedy, when the module
 * cannot be loaded or has other exports. The `cause` of the error has the stack.
 */
export async function loadModule(path: string): Promise<ModuleExports> {
  const file = resolve(path);
  await requireFile(path, file);
  let loaded: {
    readonly default?: unknown;
    readonly healthChecks?: unknown;
    readonly metrics?: unknown;
  };
  try {
    loaded = await import(pathToFileURL(file).href);
  } catch (error) {
    const remedy = loadRemedy(error, file);
    const advice = remedy === undefined ? '' : `. ${remedy[0]?.toUpperCase()}${remedy.slice(1)}`;
    throw new ConfigurationError(`cannot load ${path}: ${reasonOf(error)}${advice}`, {
      cause: error,
    });
  }
  const { default: exported, healthChecks = {}, metrics } = loaded;
  requireHealthChecks(healthChecks, path);
  requireRegistry(metrics, path);
  const beside = { healthChecks, ...(metrics !== undefined && { metrics }) };
  if (isProgram(exported)) {
    return { program: exported, controllers: [], runnables: [], webhooks: [], ...beside };
  }
  const declared: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  if (declared.length === 0 || !declared.every(isDeclared)) {
    throw new ConfigurationError(
      `${path} exports no controller: expected controller({...}), runnable({...}), a webhook or an array of ` +
        `them as the default export, got ${kindOf(exported)}`,
    );
  }
  return {
    controllers: declared.filter(isController),
    runnables: declared.filter(isRunnable),
    webhooks: declared.filter(isWebhook),
    ...beside,
  };
}

/**
 * Checks that the file exists. The loader reports a missing file and a missing import with the same
 * message, so this check comes before the import.
 */
async function requireFile(path: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return;
  const problem = found === undefined ? 'no such file' : 'not a file';
  throw new ConfigurationError(`cannot load ${path}: ${problem}`);
}

/**
 * The message of an error. For a syntax error it includes the place, which only the stack contains.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it throws ${JSON.stringify(error) ?? String(error)}`;
  const text = `${error.name}: ${error.message}`;
  const [, place] = /^(?:file:\/\/)?(\/[^\n]*:\d+)\n/.exec(error.stack ?? '') ?? [];
  return place === undefined ? text : `${text} at ${place}`;
}

/**
 * True for a result of `controller()`, `runnable()`, `validatingWebhook()` or `mutatingWebhook()`.
 */
export function isDeclared(value: unknown): value is Controller | Runnable | Webhook {
  return isController(value) || isRunnable(value) || isWebhook(value);
}

/**
 * Checks the `healthChecks` of the module at `path`.
 *
 * @throws ConfigurationError `CONFIG` when `value` is not usable.
 */
export function requireHealthChecks(value: unknown, path: string): asserts value is HealthChecks {
  if (areHealthChecks(value)) return;
  throw new ConfigurationError(
    `${path} exports unusable healthChecks: expected { live: [...], ready: [...] } of ` +
      '{ name, ok() }, both are optional',
  );
}

/**
 * Checks the `metrics` of the module at `path`.
 *
 * @throws ConfigurationError `CONFIG` when `value` is not usable.
 */
export function requireRegistry(
  value: unknown,
  path: string,
): asserts value is MetricsRegistry | undefined {
  if (value === undefined || isRegistry(value)) return;
  throw new ConfigurationError(
    `${path} exports unusable metrics: expected a Registry of prom-client, got ${kindOf(value)}`,
  );
}

function areHealthChecks(value: unknown): value is HealthChecks {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(
    ([kind, checks]) =>
      ['live', 'ready'].includes(kind) && Array.isArray(checks) && checks.every(isHealthCheck),
  );
}

function isHealthCheck(value: unknown): value is HealthCheck {
  const { name, ok } = (value ?? {}) as Partial<HealthCheck>;
  return typeof name === 'string' && name !== '' && typeof ok === 'function';
}

/** A description of `value` for a message: its type, or the place of a wrong item. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty array';
    const at = value.findIndex((item) => !isDeclared(item));
    return `an array whose item ${at} is ${kindOf(value[at])}`;
  }
  return value === null ? 'null' : `${typeof value}`;
}
