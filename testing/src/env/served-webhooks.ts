import type { KubernetesObject, Webhook } from 'chancery';
import { ConfigurationError } from 'chancery';
import { localConfigurations } from 'chancery/internal';
import { startOperator, type TestOperator } from '../operator/test-operator.ts';
import type { TestBackend } from './choose-backend.ts';

/** The name of the configurations of a test, which has one operator with webhooks. */
const NAME = 'chancery-test-env';

/**
 * An operator that only answers webhooks, and the configurations by which the API server finds it.
 *
 * @throws ConfigurationError `CONFIG` for another API server than the embedded one: those call no plain HTTP.
 * @throws OperatorError `USER_CODE` when the operator does not become ready.
 */
export async function serveWebhooks(
  url: string,
  webhooks: readonly Webhook[],
  backend: TestBackend,
): Promise<{
  readonly operator: TestOperator;
  readonly configurations: readonly KubernetesObject[];
}> {
  if (backend !== 'embedded') {
    throw new ConfigurationError(
      `the backend ${backend} calls webhooks by https alone: leave \`webhooks\` out, or use the embedded server`,
    );
  }
  const operator = startOperator({ url, controllers: [], webhooks });
  try {
    await operator.untilReady();
  } catch (error) {
    await operator.stop();
    throw error;
  }
  const { webhookAddress = '' } = operator;
  const serving = { name: NAME, url: webhookAddress };
  return { operator, configurations: localConfigurations(webhooks, serving) };
}
