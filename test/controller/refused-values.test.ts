/** A Secret's value that an API server quotes when it refuses a write: which ways out it does not find. */
import { inspect } from 'node:util';
import { configMap, deployment, secret } from '@chancery/testing';
import { expect, test } from 'vitest';
import { TerminalError } from '../../operator/controller/errors.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { messageOf } from '../../operator/core/errors.ts';
import { createLogger } from '../../operator/manager/observe/logger.ts';
import { configMaps, deployments } from '../../operator/model/builtin.ts';
import { ApiError } from '../../operator/model/status.ts';
import { folderWith } from '../cli/child.ts';
import { Collector } from '../cli/collector.ts';
import { invoke } from '../cli/invocation.ts';
import { startServer } from '../cli/server.ts';
import { type Site, startSites } from '../support/sites.ts';

const SECRET = 'postgres://shop:kx93nowhereelse@db/shop';
const PART = /kx93nowhereelse|postgres:/;
const HEADING = 'is invalid: metadata.labels: Invalid value (not shown): ';

/** A label must not have a colon, and a selector must select what is made of it. */
const refusedWrites = {
  text: (context: ReconcileContext<Site>, namespace: string) =>
    context.client.create(configMaps, configMap('a', { namespace, labels: { dsn: SECRET } })),
  object: (context: ReconcileContext<Site>, namespace: string) => {
    const wanted = deployment('web', { namespace });
    const labels = { dsn: 'kx93nowhereelse' };
    const template = { ...wanted.spec?.template, metadata: { labels } };
    return context.client.create(deployments, {
      ...wanted,
      spec: { ...wanted.spec, template } as never,
    });
  },
};

test.each([
  'text',
  'object',
] as const)('[security 28] [attack A-3] a refused value (%s) is in no log, Event, condition, status page or message', async (form) => {
  const { operate, createSite, site, env, namespace } = await startSites();
  const thrown: unknown[] = [];
  await createSite('a');

  const operator = await operate(
    async (_site, context) => {
      try {
        await refusedWrites[form](context, namespace);
      } catch (error) {
        thrown.push(error);
        const condition = {
          type: 'Ready',
          status: 'False',
          reason: 'Refused',
          message: messageOf(error),
        };
        await context.setStatus({ conditions: [condition as never] });
        context.event('Warning', 'Refused', messageOf(error));
        context.log.warn({ err: error, error, cause: messageOf(error) }, 'refused');
        throw new TerminalError('cannot go on', { cause: error });
      }
    },
    { permissions: [] },
  );
  await env.advance(60_000);

  const [error] = thrown;
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).statusWithValues().message).toMatch(PART);
  const condition = (await site('a')).status?.conditions?.[0]?.message ?? '';
  expect(condition).toContain('Invalid value (not shown)');
  const events = await env.list('events.k8s.io/v1', 'Event', namespace);
  expect(JSON.stringify(events)).toContain('Invalid value (not shown)');
  const out = new Collector();
  const logger = createLogger('debug', out);
  for (const { fields, message } of operator.log) logger.info(fields, message);
  expect(out.lines.join('\n')).toContain('Invalid value (not shown)');
  for (const text of [
    condition,
    JSON.stringify(events),
    out.lines.join('\n'),
    JSON.stringify(operator.status),
    inspect(error, { depth: 9, showHidden: true }),
    (error as Error).stack,
  ]) {
    expect(text).not.toMatch(PART);
  }
});

test('[security 28] [attack A-3] a dry run prints a refusal without the value of the Secret', async () => {
  const server = await startServer();
  server.create(secret('db', { namespace: 'demo', data: { dsn: SECRET } }));
  const folder = folderWith({
    'operator.ts': `
import { controller } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
export default controller({
  name: 'shop',
  for: secrets,
  async reconcile(secret, { client }) {
    const dsn = Buffer.from(secret.data.dsn, 'base64').toString();
    const metadata = { name: 'copy', namespace: 'demo', labels: { dsn } };
    await client.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  },
});`,
  });

  const { exit, stdout, stderr } = invoke(['run', '--dry-run', `${folder}/operator.ts`], {
    env: { CHANCERY_API_URL: server.url, WATCH_NAMESPACE: 'demo' },
  });

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([expect.stringContaining(HEADING)]);
  expect([...stdout.lines, ...stderr.lines].join('\n')).not.toMatch(PART);
});
