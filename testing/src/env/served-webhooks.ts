import type { KubernetesObject, Webhook } from 'chancery';
import { ConfigurationError } from 'chancery/internal-objects';
import {
  aborted,
  CONVERSION_PATH,
  type DefinedResource,
  localConfigurations,
  withConversionClient,
} from 'chancery/internal-testing';
import {
  startOperator,
  type TestOperator,
  type TestOperatorOptions,
} from '../operator/test-operator.ts';
import type { TestBackend } from './choose-backend.ts';

/**
 * The name of the webhook configurations. One name is enough, because a test has only one operator
 * with webhooks.
 */
const NAME = 'chancery-test-env';

/**
 * Starts an operator that only answers webhooks, and creates the configurations through which the
 * API server calls it.
 *
 * @throws ConfigurationError `CONFIG` unless the API server is embedded. Other API servers do not call
 * webhooks over plain HTTP.
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
  requireEmbedded(backend, 'leave `webhooks` out');
  const operator = await started({ url, controllers: [], webhooks });
  const { webhookAddress = '' } = operator;
  const serving = { name: NAME, url: webhookAddress };
  return { operator, configurations: localConfigurations(webhooks, serving) };
}

/**
 * Starts an operator that only converts objects, and applies the definitions through which the API
 * server calls it.
 *
 * @param resources - resources with `convert`.
 * @throws ConfigurationError, OperatorError in the same cases as `serveWebhooks`.
 */
export async function serveConversions(
  url: string,
  resources: readonly DefinedResource[],
  backend: TestBackend,
): Promise<{
  readonly operator: TestOperator;
  readonly definitions: readonly KubernetesObject[];
}> {
  requireEmbedded(backend, 'install resources without `convert`');
  const conversions = {
    name: 'conversions',
    definitions: resources,
    needsLeaderElection: false,
    run: aborted,
  };
  const operator = await started({ url, controllers: [], runnables: [conversions] });
  const client = { url: `${operator.webhookAddress}${CONVERSION_PATH}` };
  const definitions = resources.map(({ definition }) => withConversionClient(definition, client));
  return { operator, definitions };
}

function requireEmbedded(backend: TestBackend, otherwise: string): void {
  if (backend === 'embedded') return;
  throw new ConfigurationError(
    `the backend ${backend} calls webhooks by https alone: ${otherwise}, or use the embedded server`,
  );
}

async function started(options: TestOperatorOptions): Promise<TestOperator> {
  const operator = startOperator(options);
  try {
    await operator.untilReady();
    return operator;
  } catch (error) {
    await operator.stop();
    throw error;
  }
}
