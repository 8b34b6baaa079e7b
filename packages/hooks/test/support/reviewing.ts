/** Hooks that answer the embedded API server, in plain HTTP, as the only replica or as one of several. */
import { startOperator, startTestEnv, type TestEnv, type TestOperator } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { withConversionClient } from '../../../../operator/model/custom-resource-definition.ts';
import { localConfigurations } from '../../../../operator/webhook/webhook-configurations.ts';
import type { HooksProgram, HooksProgramOptions } from '../../src/hooks-program.ts';
import { hooksFolder, loadFolder } from './place.ts';

/** A hook in Node. @param body - what a run does; `context` is the only context, and `answer` writes the answer. */
export function reviewHook(config: object, body: string): string {
  return `#!/usr/bin/env node
const fs = require('node:fs');
if (process.argv[2] === '--config') {
  process.stdout.write(${JSON.stringify(JSON.stringify({ configVersion: 'v1', ...config }))});
  process.exit(0);
}
const contexts = JSON.parse(fs.readFileSync(process.env.BINDING_CONTEXT_PATH, 'utf8'));
const [context] = contexts;
const answer = (value) => fs.writeFileSync(process.env.ADMISSION_RESPONSE_PATH, JSON.stringify(value));
const convert = (value) => fs.writeFileSync(process.env.CONVERSION_RESPONSE_PATH, JSON.stringify(value));
${body}
`;
}

/** Rules for writes of ConfigMaps. */
export const CONFIG_MAPS = {
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
  operations: ['CREATE', 'UPDATE'],
};

export interface Reviewing {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly dir: string;
  readonly program: HooksProgram;
  readonly operator: TestOperator;
  /** Starts another replica. The API server asks the first one. */
  replica(): Promise<TestOperator>;
}

/**
 * Starts the hooks in `files`. Everything ends with the test.
 *
 * @param environment - settings of the replicas.
 */
export async function startReviewing(
  files: Readonly<Record<string, string>>,
  options: Partial<HooksProgramOptions> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Reviewing> {
  const { dir } = await hooksFolder({ files });
  const env = await startTestEnv();
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const start = async (program: HooksProgram): Promise<TestOperator> => {
    const { answering, runnable, webhooks } = program;
    const operator = startOperator({
      url: env.url,
      controllers: [],
      runnables: [runnable, ...(answering ? [answering] : [])],
      webhooks,
      namespace,
      leaderElection: { namespace },
      environment,
    });
    onTestFinished(() => operator.stop());
    await operator.untilReady();
    return operator;
  };
  const program = await loadFolder(dir, { options });
  const operator = await start(program);
  const { webhookAddress = '' } = operator;
  await env.apply(localConfigurations(program.webhooks, { name: 'hooks', url: webhookAddress }));
  const client = { url: `${webhookAddress}/convert` };
  await env.apply(
    (program.answering?.definitions ?? []).map(({ definition }) =>
      withConversionClient(definition, client),
    ),
  );
  const replica = async () => start(await loadFolder(dir, { options }));
  return { env, namespace, dir, program, operator, replica };
}

/** What a client sees of a write: status, message and warnings. */
export async function written(
  { env, namespace }: Pick<Reviewing, 'env' | 'namespace'>,
  object: { readonly metadata: object; readonly data: object },
  query: string = '',
): Promise<{
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warning: string | null;
}> {
  const url = `${env.url}/api/v1/namespaces/${namespace}/configmaps${query}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', ...object }),
  });
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  return { status: response.status, body, warning: response.headers.get('warning') };
}
