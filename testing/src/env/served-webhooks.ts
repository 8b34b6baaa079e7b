import type { Webhook } from 'chancery';
import { ConfigurationError, runnable } from 'chancery';
import type { DefinedResource } from 'chancery/internal';
import { startOperator, type TestOperator } from '../operator/test-operator.ts';
import { eventually } from '../time/eventually.ts';
import type { TestBackend } from './choose-backend.ts';

/** What an API server asks about. */
interface Asked {
  readonly webhooks: readonly Webhook[];
  /** Resources whose versions are converted. */
  readonly converted: readonly DefinedResource[];
}

/**
 * An operator that only answers the API server. Resolves when its port is open: it is ready when the definitions of
 * what it reads are there.
 *
 * @throws ConfigurationError `CONFIG` for another API server than the embedded one: those call no plain HTTP.
 * @throws OperatorError `USER_CODE` when the port does not open.
 */
export async function serveWebhooks(
  url: string,
  { webhooks, converted }: Asked,
  backend: TestBackend,
): Promise<{ readonly operator: TestOperator; readonly address: string }> {
  if (backend !== 'embedded') {
    throw new ConfigurationError(
      `the backend ${backend} calls webhooks by https alone: leave \`webhooks\` out, or use the embedded server`,
    );
  }
  const conversions = runnable({
    name: 'conversions',
    definitions: converted,
    run: (signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  });
  const operator = startOperator({ url, controllers: [], runnables: [conversions], webhooks });
  try {
    return { operator, address: await eventually(() => operator.webhookAddress) };
  } catch (error) {
    await operator.stop();
    throw error;
  }
}
